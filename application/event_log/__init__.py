"""How requests become the log: collected, settled against what stands, numbered, chained, and proven again."""
