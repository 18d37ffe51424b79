"""The words of a report: its summary, and the notes below its numbers."""
