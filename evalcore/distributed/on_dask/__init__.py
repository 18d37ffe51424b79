"""Partitions of dask: arrays, Series, data frames and bags, and Parquet files."""
