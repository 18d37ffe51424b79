"""Comparisons for readers: tables, sentences, JSON and a page."""
