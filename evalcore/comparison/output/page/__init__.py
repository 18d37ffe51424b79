"""A comparison as one HTML file: `document` puts panels together, `charts` draws what stands in them."""
