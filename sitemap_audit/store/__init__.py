"""Facts on disk as Parquet parts, and the tables to judge made of them. No verdict is stored."""
