"""Answers as documents: a report or a comparison with its words, tables and charts, and a writer for each format.

Libraries of the extras are imported where they are used.
"""
