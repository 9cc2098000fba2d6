"""sitemap-audit: the map against the territory.

A sitemap is a claim about a site. This package holds what the crawler and the workers both
speak: the facts, the formats they are read from, the one HTTP client, the queue, the store,
the rules and the reports. ARCHITECTURE.md has the picture; the flow in five words is
discover, enqueue, check, judge, report.
"""

__version__ = "0.1.0"
