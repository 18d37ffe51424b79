"""What differs between the models, how sure it is, and which cases changed."""
