"""Sitemap files: fetched, read, within their limits."""
