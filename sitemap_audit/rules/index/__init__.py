"""Indexing directives and duplicates of listed URLs."""
