"""Questions on models, and what finds the numbers that answer them."""
