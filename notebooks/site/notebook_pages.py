"""Notebooks as Markdown, so that their links are checked, their text is searched, and no script is loaded."""

import base64
import json
import re

STYLE = re.compile(r"<style scoped>.*?</style>\s*|(?<=<table) border=\"1\" class=\"dataframe\"", re.DOTALL)


def page(text, uri):
    """Return the Markdown of a notebook, and the images that it shows by their places on the site.

    text: the JSON of the notebook.  uri: the place of the page, which ends in .md.
    """
    stem = uri.removesuffix(".md")
    parts, images = [], {}
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif source:
            parts.append(_fenced(source, "python"))
        parts += [_shown(output, stem, images) for output in cell.get("outputs", [])]
    parts.append(f'<a href="../{stem}.ipynb" download>Download this notebook</a>')
    return "\n\n".join(filter(None, parts)) + "\n", images


def _shown(output, stem, images):
    data = output.get("data", {})
    if drawn := data.get("image/svg+xml") or data.get("image/png"):
        image = f"images/{stem}-{len(images) + 1}.{'svg' if 'image/svg+xml' in data else 'png'}"
        images[image] = "".join(drawn).encode() if image.endswith("svg") else base64.b64decode(drawn)
        return f"![]({image})"
    if "text/html" in data:
        html = re.sub(r"\n\s*", "\n", STYLE.sub("", "".join(data["text/html"])))
        return f'<div class="output">\n{html.strip()}\n</div>'
    text = "".join(output.get("text", data.get("text/plain", "")))
    return _fenced(text.rstrip(), "text") if text else ""


def _fenced(text, language):
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
