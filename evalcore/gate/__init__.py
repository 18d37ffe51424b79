"""Conditions that stop a release: what they say, and which numbers meet them."""
