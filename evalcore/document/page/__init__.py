"""Reports and comparisons as one HTML file: parts that functions make, and the elements that show them."""
