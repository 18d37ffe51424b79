"""A report as one HTML file: `document` puts panels together; each other module makes one panel for its template."""
