"""A small shop with one instance of each fault that the rules know, for `sitemap-audit demo` and for tests.

site     the hosts under .example, their pages, sitemaps and robots.txt
server   serves them on loopback while an audit runs
"""
