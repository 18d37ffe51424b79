"""Reports on more rows than memory holds: batches of rows and summaries with bounds."""
