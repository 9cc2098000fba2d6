"""HTTP answers of listed URLs."""
