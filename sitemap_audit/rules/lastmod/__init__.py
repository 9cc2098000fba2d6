"""Is lastmod the time of a real change?"""
