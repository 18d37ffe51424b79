"""Partitions of Spark data frames."""
