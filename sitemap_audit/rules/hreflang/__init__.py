"""Language versions: each lists itself and all others."""
