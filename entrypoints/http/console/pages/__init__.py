"""One file a page: what it shows, made of what the queries answer."""
