"""Files of the repository as pages of the site, and links between them."""

import os.path
import re
from pathlib import Path, PurePosixPath

from reference import PACKAGES

SITE = Path(__file__).parent
ROOT = SITE.parents[1]
GUIDE = SITE.parent / "README.md"
URIS = {
    "README.md": "index.md",
    "notebooks/README.md": "guide.md",
    "notebooks/data/README.md": "flights.md",
    "benchmarks/README.md": "benchmarks.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.md",
}
"""Pages whose place on the site is not that in notebooks/; a README would be the first page of a section."""
PATHS = {uri: path for path, uri in URIS.items()}


def pages():
    """Map places on the site to the text of the files whose place is not that in notebooks/."""
    texts = {uri: (ROOT / path).read_text("utf-8") for path, uri in URIS.items()}
    texts["license.md"] = f"# License\n\n```text\n{texts['license.md']}```\n"
    return texts


def images():
    """Map places on the site to the plots of the benchmarks."""
    return {f"benchmarks/{path.name}": path for path in (ROOT / "benchmarks").glob("*.png")}


def uri_of(path):
    """Name the place on the site of a file of the repository, or of the reference of what a source file holds.

    >>> uri_of("notebooks/command.md"), uri_of("evalcore/metrics/areas.py"), uri_of("evalcore/parallel.py")
    ('command.md', 'reference/metrics/index.md', 'reference/evalcore/index.md')
    """
    head, *parts = PurePosixPath(path).parts or ("",)
    if head == "evalcore":
        package = parts[0] if parts and parts[0] in PACKAGES else "evalcore"
        return f"reference/{package}/index.md"
    return URIS.get(path, re.sub(r"\.ipynb$", ".md", path.removeprefix("notebooks/")))


def relinked(markdown, uri):
    """Replace relative links of a page by those that hold on the site.

    >>> relinked("[costs](../benchmarks/README.md#memory), [all](README.md)", "on-a-cluster.md")
    '[costs](benchmarks.md#memory), [all](guide.md)'
    """
    if uri.startswith("reference/"):
        return markdown  # which has no links of the repository
    folder = PurePosixPath(PATHS.get(uri, f"notebooks/{uri}")).parent

    def moved(match):
        target = uri_of(os.path.normpath(folder / match[1]).replace(os.sep, "/"))
        return f"]({os.path.relpath(target, PurePosixPath(uri).parent).replace(os.sep, '/')}{match[2]})"

    return re.sub(r"\]\(([^)\s:#]+)((?:#[^)\s]*)?)\)", moved, markdown)
