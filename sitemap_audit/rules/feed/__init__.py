"""Do the feeds of a site tell what is new, and does anybody find them?"""
