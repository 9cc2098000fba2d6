"""News sitemaps: what Google asks of their articles."""
