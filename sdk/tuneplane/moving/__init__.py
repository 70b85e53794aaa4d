"""Moving in: the history that another tracker keeps on disk becomes runs here, without that tracker installed."""
