"""State: growable columns of cases, and tables of counts.

Every state merges, and merging two equals filling one.  Inputs are checked before they come here.
"""
