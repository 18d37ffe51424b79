"""Reading predictions from files.  Needs the extra ``report`` (pyarrow), imported where it is used."""
