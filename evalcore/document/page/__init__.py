"""Reports and comparisons as one HTML file: panels for one template, each made by a function."""
