"""Videos that a sitemap names for its pages."""
