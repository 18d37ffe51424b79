"""Comparisons for readers: tables, sentences, JSON, workbooks and a page."""
