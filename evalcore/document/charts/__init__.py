"""The charts of a report: which it has, how they are drawn and saved, and which are missing and why."""
