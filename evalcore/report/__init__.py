"""Reports on predictions, and how they are written.  Needs the extra ``report`` (rich), imported where it is used."""
