"""What mkdocs does beside its settings: more pages, their order, links to other files, formulas, checks."""

import logging

import checks
import formulas
import navigation
import notebook_pages
import reference
import repository
import tables
from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.hooks.evalcore")
LINKS = reference.links()
KEYWORDS = navigation.keywords(repository.GUIDE.read_text("utf-8"))


def on_config(config):
    """Order the pages as the guide does, the reference behind them."""
    config.nav = navigation.nav(repository.GUIDE.read_text("utf-8"), reference.nav())
    return config


def on_files(files, config):
    """Add pages that lie outside of notebooks/, or in docstrings; name the guide, which is not the first page."""
    files.remove(files.src_uris["README.md"])
    for uri, text in {**repository.pages(), **reference.pages()}.items():
        files.append(File.generated(config, uri, content=text))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        uri = file.src_uri.removesuffix("ipynb") + "md"
        text, images = notebook_pages.page(file.content_string, uri)
        for each, content in {uri: text, **images}.items():
            files.append(File.generated(config, each, content=content))
    for uri, path in {"assets/site.css": repository.SITE / "site.css", **repository.images()}.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Point links between files of the repository at the pages that hold them, and tell the search more words."""
    page.meta["tags"] = KEYWORDS.get(page.file.src_uri, [])
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # the tabs above it are enough
    return repository.relinked(markdown, page.file.src_uri)


def on_page_content(html, page, config, files):
    """Draw formulas, and make links of names in the text."""
    uri = page.file.src_uri
    if uri.startswith("reference/"):
        html = reference.without_parentheses(html)
    return tables.breakable(reference.linked(formulas.drawn(html), uri, LINKS))


def on_post_build(config):
    """Warn, and so fail a strict build, of links that lead nowhere and of loads from other sites."""
    for complaint in checks.complaints(config.site_dir):
        log.warning(complaint)
