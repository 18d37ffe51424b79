"""Reports on more rows than memory holds: batches of rows, summaries with bounds, checkpoints."""
