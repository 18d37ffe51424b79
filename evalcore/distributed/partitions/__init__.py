"""What is done with partitions, whichever engine holds them: checked and sorted cases, ranges of scores, summaries."""
