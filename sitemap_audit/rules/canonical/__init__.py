"""The declared canonical against the map."""
