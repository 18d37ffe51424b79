"""Links of the built site that lead nowhere, and what its pages would load from other sites."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

REMOTE = re.compile(r"^(https?:)?//")
LOADS = {"src", "srcset", "data", "poster"}
UNUSED = "https://unpkg.com/mermaid@", "https://unpkg.com/resize-observer-polyfill"
"""The theme loads them for diagrams in the language of mermaid, which are refused, and for browsers before 2020."""
SCRIPTED = re.compile(
    r"""(?:import|fetch|importScripts)\(["'`]((?:https?:)?//[^"'`]*)|(https?://[^"'`\s]+\.(?:m?js|css|json|woff2?)\b)"""
)
COMMENT = re.compile(r"/\*.*?\*/|^//.*?$", re.DOTALL | re.MULTILINE)
STYLED = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)


def scripted(text):
    """List what a script loads from other sites, but for what the theme keeps for rare cases."""
    found = (called or named for called, named in SCRIPTED.findall(COMMENT.sub("", text)))
    return [each for each in found if not each.startswith(UNUSED)]


class Page(HTMLParser):
    """The anchors, the links and the loads of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.diagrams = {"", "top"}, [], [], 0
        self.feed(text)
        self.loads += STYLED.findall(text)
        self.loads += [load for script in INLINE.findall(text) for load in scripted(script)]

    def handle_starttag(self, tag, attrs):
        """Collect what one tag names."""
        attributes = {name: value or "" for name, value in attrs}
        self.anchors |= {attributes.get("id", ""), attributes.get("name", "") if tag == "a" else ""}
        self.diagrams += "mermaid" in attributes.get("class", "").split()
        self.loads += [value for name, value in attributes.items() if name in LOADS]
        target = attributes.get("href")
        if tag == "link" and attributes.get("rel") not in ("canonical", "next", "prev", "alternate"):
            self.loads.append(target)
        elif tag == "a" and target is not None:
            self.links.append(target)


@cache
def read(path):
    """Parse a page."""
    return Page(path.read_text("utf-8"))


def complaints(folder):
    """List what is wrong with the pages, the styles and the scripts of a built site."""
    read.cache_clear()
    root = Path(folder)
    found = [wrong for path in sorted(root.rglob("*.html")) for wrong in _of_page(path, root)]
    for path in sorted(root.rglob("*.css")):
        found += [f"{path.relative_to(root)} loads {each}" for each in STYLED.findall(path.read_text("utf-8"))]
    for path in sorted(root.rglob("*.js")):
        found += [f"{path.relative_to(root)} loads {each}" for each in scripted(path.read_text("utf-8"))]
    return found


def _of_page(path, root):
    page, name = read(path), path.relative_to(root).as_posix()
    wrong = [f"{name} loads {each}" for each in page.loads if REMOTE.match(each)]
    wrong += [f"{name} has a diagram, for which the theme loads a script"] * bool(page.diagrams)
    local = [each for each in page.loads if not REMOTE.match(each) and not each.startswith("data:")]
    return wrong + [f"{name}: {each} leads nowhere" for each in page.links + local if not _leads(each, path, root)]


def _leads(link, path, root):
    target, anchor = urldefrag(link)
    if re.match(r"[a-z]+:", link) or REMOTE.match(link):
        return True
    base = "/" + path.relative_to(root).as_posix()
    found = root / unquote(urljoin(base, target)).lstrip("/")
    found = found / "index.html" if found.is_dir() else found
    return found.is_file() and (found.suffix != ".html" or unquote(anchor) in read(found).anchors)
