"""What the content of listed pages says."""
