"""The rows of compared models, joined case by case and checked."""
