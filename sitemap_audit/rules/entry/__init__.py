"""Entries of sitemaps: what the map may say."""
