"""A report as one HTML file: `document` puts panels together; other modules make one panel each for its template."""
