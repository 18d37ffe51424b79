"""Pages in a real browser: no text runs, controls work by mouse and by keyboard, and all can be read on a phone."""

import csv
import functools
import io
import re
import shlex
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image, PngImagePlugin

import evalcore
from evalcore import metrics
from evalcore.cli import main
from evalcore.document.terminal import printable
from tests.document.test_outcomes_page import systems
from tests.document.test_shown_cases import ASKED, HOSTILE, TABLE

pytestmark = pytest.mark.browser
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
PHONE, DESK = 390, 1280
RNG = np.random.default_rng(8)
LATE = RNG.random(600) < 0.3
FLIGHTS = {
    "late": LATE.astype(int),
    "boosting": 1 / (1 + np.exp(-RNG.normal(LATE * 2 - 1))),
    "logistic": 1 / (1 + np.exp(-RNG.normal(LATE - 1))),
    "carrier": RNG.choice([f"carrier {number} of the north" for number in range(12)], 600),
}
TREES = np.array([f"{tree} {kind}" for tree in ("mountain ash", "wych elm", "oak", "silver birch") for kind in "abcd"])
CODES = RNG.integers(0, 16, 900)
GUESSES = np.where(RNG.random(900) < 0.6, CODES, RNG.integers(0, 16, 900))
CLASSES = {"tree": TREES[CODES], "guess": TREES[GUESSES]}
MODELS = {"label": "late", "score": ["boosting", "logistic"]}
COMPARED = {"label": "late", "score": "boosting", "old_score": "logistic"}
STATES = {
    "models": lambda: evalcore.evaluate(FLIGHTS, **MODELS, threshold=0.3, costs=(1, 4)),
    "groups": lambda: evalcore.evaluate(FLIGHTS, **MODELS, by="carrier", ci=0.95),
    "classes": lambda: evalcore.evaluate(CLASSES, label="tree", predicted="guess"),
    "comparison": lambda: evalcore.compare(FLIGHTS, **COMPARED, by="carrier", margin=0.01, threshold=0.3),
    "odds": lambda: evalcore.compare(
        {**FLIGHTS, **{name: np.log(FLIGHTS[name] / (1 - FLIGHTS[name])) for name in ("boosting", "logistic")}},
        **COMPARED,
    ),
    "names": lambda: evalcore.compare(
        {"late": FLIGHTS["late"], "#010101": FLIGHTS["boosting"], "\x1b[31mred": FLIGHTS["logistic"]},
        label="late", score="#010101", old_score="\x1b[31mred",
    ),
    "systems": lambda: systems(by="task", show=("prompt", "answer")),
    "hostile": lambda: evalcore.evaluate(TABLE, **ASKED, mistakes=100),
    "hostile comparison": lambda: evalcore.compare(TABLE, **ASKED, old_score="base", changed=100),
}  # fmt: skip
CLIPBOARD = """Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { window.copied = text; } },
});"""
UNREADABLE = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((part, index) => a * part + (1 - a) * under[index]);
  const up = (element) => (element ? [...up(element.parentElement), element] : []);
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, style = getComputedStyle(element), inSvg = element.closest("svg");
    if (!node.data.trim() || !element.checkVisibility() || element.closest("script, title, desc, .spoken")) continue;
    if (inSvg && /^(#000000|#ffffff|black|white)$/.test(element.getAttribute("fill"))) continue; // on coloured cells
    const grounds = up(element).map((each) => numbers(getComputedStyle(each).backgroundColor));
    const ground = grounds.reduce((under, own) => over(own, under), [255, 255, 255]);
    const opacities = up(element).map((each) => Number(getComputedStyle(each).opacity));
    const opacity = opacities.reduce((product, each) => product * each, inSvg ? Number(style.fillOpacity) : 1);
    const colour = over([...numbers(inSvg ? style.fill : style.color).slice(0, 3), opacity], ground);
    const [low, high] = [light(colour), light(ground)].sort((one, other) => one - other);
    if ((high + 0.05) / (low + 0.05) < 4.5) found.push(node.data.trim());
  }
  return found;
}"""
"""Lists the texts whose contrast with what is behind them is less than 4.5 (WCAG 2.2, 1.4.3)."""
SIZES = """() => [...document.querySelectorAll("figure svg text")].filter((each) => each.checkVisibility())
  .map((each) => {
    const { a, b } = each.getScreenCTM();
    return Math.hypot(a, b) * Number.parseFloat(getComputedStyle(each).fontSize);
  })"""
COLUMN = """(table, column) => [...table.tBodies[0].rows].filter((row) => row.className !== "marked")
  .map((row) => row.cells[column].textContent)"""
DOTS = """[...document.querySelectorAll("[data-mark^=dot-] use")]
  .map((dot) => [dot.getAttribute("x"), dot.getAttribute("y")])"""
LINES = """[...document.querySelectorAll("[data-mark^=line-threshold] path")]
  .map((path) => path.getAttribute("transform"))"""
EVERY = "[...document.querySelectorAll('*')]"


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if PROGRAM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Return what opens a page, and asserts at the end that nothing failed, was run, or was asked of a network."""

    @contextmanager
    def open_page(state, place="", *, width=DESK, dark=False, script=True):
        path = tmp_path / "page.html"
        path.write_text(written(state), "utf-8")
        own = {"viewport": {"width": width, "height": 900}, "color_scheme": "dark" if dark else "light"}
        context, said, asked = browser.new_context(**own, java_script_enabled=script), [], []
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.add_init_script(CLIPBOARD)
        page.goto(path.as_uri() + place)
        yield page
        assert said == []
        assert {url.partition("#")[0] for url in asked} == {path.as_uri()}
        context.close()

    return open_page


@functools.cache
def written(state):
    return STATES[state]().to_html()


@pytest.mark.parametrize("state", ["hostile", "hostile comparison"])
def test_hostile_texts_are_shown_and_never_run(opened, state):
    with opened(state) as page:
        texts = page.locator("td.text").all_text_contents()
        assert {*texts} >= {printable(text.replace("\r\n", "\n")) for text in HOSTILE}
        assert page.locator("td img, td script, td h1, td a").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= DESK
        section = page.locator("section:has(td.text)").first
        if section.locator("> details").count():
            section.locator("> details > summary").first.press("Enter")
        box = section.locator(".filter input").filter(visible=True).first
        box.fill("onerror")
        assert re.fullmatch(r"1 of \d+", section.locator(".filter output").filter(visible=True).first.text_content())
        shown = section.locator("table:has(td.text) tbody tr").filter(visible=True, has_text="prompt of")
        assert not shown.count() or state != "hostile"
        box.fill("")
        assert shown.count() or state != "hostile"


def test_headings_sort_by_mouse_and_keyboard_and_the_total_stays(opened):
    with opened("groups") as page:
        table = page.locator("#groups table.sortable").first
        numbers = [float(text.split()[0]) for text in table.evaluate(COLUMN, 1)]
        head = table.locator("thead th").nth(1)
        assert "\u2195" in head.locator("button").evaluate("(each) => getComputedStyle(each, '::after').content")
        head.locator("button").click()
        assert [float(text.split()[0]) for text in table.evaluate(COLUMN, 1)] == sorted(numbers, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        head.locator("button").press("Enter")
        assert [float(text.split()[0]) for text in table.evaluate(COLUMN, 1)] == sorted(numbers)
        names = table.locator("thead th button").first
        names.press("Enter")
        found = table.evaluate(COLUMN, 0)
        assert found == sorted(found, key=lambda name: int(name.split()[1]))
        assert table.locator("tbody tr").last.get_attribute("class") == "marked"


def test_tables_are_copied_with_all_digits(opened):
    with opened("groups") as page:
        region = page.locator("#groups .wide").first
        tools = page.locator("#groups .tools").first
        tools.get_by_text("Copy CSV").click()
        page.wait_for_function("window.copied")
        head, *rows = csv.reader(page.evaluate("window.copied").split("\n"))
        assert head[:4] == ["carrier", *(f"ROC AUC of boosting{end}" for end in ("", ", low", ", high"))]
        assert len(rows) == region.locator("tbody tr").count()
        for name, area, low, high, *_ in rows[:-1]:
            own = FLIGHTS["carrier"] == name
            assert float(area) == pytest.approx(metrics.roc_auc_score(LATE[own], FLIGHTS["boosting"][own]), abs=1e-15)
            assert float(low) < float(area) < float(high)
        page.evaluate("window.copied = ''; document.querySelector('#groups tbody th').textContent = '=1+1'")
        tools.locator("button").first.click()
        page.wait_for_function("window.copied")
        assert page.evaluate("window.copied").split("\n")[1].startswith("'=1+1,0.")  # no formula, and numbers stay
        page.evaluate("window.copied = ''")
        tools.get_by_text("Copy Markdown").press("Enter")
        page.wait_for_function("window.copied")
        lines = page.evaluate("window.copied").split("\n")
        assert re.fullmatch(r"\|( --- \|)+", lines[1])
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def sentences(page):
    return page.locator(".matrices p span:last-child").all_text_contents()


def decided(page):
    """List what depends on thresholds: sentences, dots and cells."""
    return sentences(page), page.evaluate(DOTS), page.locator(".matrices td").all_text_contents()


def test_a_slider_moves_all_that_its_threshold_decides_and_the_address(opened):
    with opened("models") as page:
        before = decided(page)
        assert all("At threshold 0.3," in sentence for sentence in before[0])
        assert "#" not in page.url
        slider = page.locator("#slider input[type=range]").first
        for _ in range(5):
            slider.press("ArrowRight")
        after = decided(page)
        assert all(one != other for one, other in zip(before, after, strict=True))
        moved = page.url.partition("#t=")[2]
        assert float(moved) > 0.3
        assert all(f"At threshold {moved}," in sentence for sentence in after[0])
        assert slider.get_attribute("aria-valuetext") == moved
        assert all(page.evaluate(LINES))
    with opened("models", f"#t={moved}") as page:
        assert decided(page) == after


def test_an_address_opens_the_page_at_its_thresholds(opened):
    with opened("models", "#t=0.3,0.25") as page:
        assert [re.search(r"threshold ([\d.]+),", sentence)[1] for sentence in sentences(page)] == ["0.3", "0.25"]
        page.evaluate("location.hash = '#t=0.5'")
        page.wait_for_function("document.querySelector('.matrices p').textContent.includes('threshold 0.5,')")
        page.locator("#slider-together").select_option("alone")
        page.locator("#slider input[type=range]").first.press("ArrowLeft")
        first, second = page.url.partition("#t=")[2].split(",")
        assert float(first) < float(second) == 0.5
    with opened("models", "#t=<b>") as page:
        assert all("At threshold 0.3," in sentence for sentence in sentences(page))


def counts_of(page):
    """List the counts of the confusion matrices: tp, fn, fp and tn of each model."""
    cells = page.locator(".matrices td").evaluate_all("(all) => all.map((each) => each.firstChild.data)")
    counts = [int(text.replace(",", "")) for text in cells]
    return [counts[at : at + 4] for at in range(0, len(counts), 4)]


def counts_at(name, threshold):
    flagged = FLIGHTS[name] >= threshold
    return [int((each & kind).sum()) for kind in (LATE, ~LATE) for each in (flagged, ~flagged)]


def test_a_comparison_moves_with_its_sliders_each_alone_or_both_at_one_threshold_or_fraction(opened):
    names = ["boosting", "logistic"]
    with opened("comparison") as page:
        captions = page.locator("#curves figcaption")
        before, told = decided(page), captions.all_text_contents()
        assert len(before[1]) == 4
        assert all("threshold 0.3" in text for text in [*before[0], *told])
        assert "each at threshold 0.3." in page.locator("#thresholds > p").first.text_content()
        assert counts_of(page) == [counts_at(name, 0.3) for name in names]
        sliders, together = page.locator("#slider input[type=range]"), page.locator("#slider-together")
        sliders.first.press("ArrowLeft")
        after = decided(page)
        assert all(one != other for one, other in zip(before, after, strict=True))
        assert all(page.evaluate(LINES))
        moved = page.url.partition("#t=")[2]
        assert counts_of(page) == [counts_at(name, float(moved)) for name in names]
        assert captions.all_text_contents() == [
            text.replace("the threshold 0.3", "the thresholds of the sliders") for text in told
        ]
        together.select_option("fraction")
        for _ in range(5):
            sliders.nth(1).press("ArrowRight")
        thresholds = [float(text) for text in page.url.partition("#t=")[2].split(",")]
        assert counts_of(page) == [counts_at(*each) for each in zip(names, thresholds, strict=True)]
        flagged = [tp + fp for tp, _, fp, _ in counts_of(page)]
        near = [abs(sum(counts_at("boosting", each)[::2]) - flagged[1]) for each in np.arange(1, 100) / 100]
        assert abs(flagged[0] - flagged[1]) == min(near)
        assert thresholds[0] != thresholds[1]
        together.select_option("alone")
        sliders.first.press("ArrowRight")
        assert counts_of(page)[1] == counts_at("logistic", thresholds[1])
        assert counts_of(page)[0] != counts_at("boosting", thresholds[0])


def test_an_address_opens_a_comparison_and_scores_that_are_no_probabilities_move_by_fractions(opened):
    with opened("comparison", "#t=0.4,0.25") as page:
        assert counts_of(page) == [counts_at("boosting", 0.4), counts_at("logistic", 0.25)]
        assert page.locator("#slider-together").input_value() == "alone"
        assert "threshold 0.3" not in page.locator("#curves").inner_text()
    with opened("odds") as page:
        assert page.locator("#slider-together").input_value() == "fraction"
        page.locator("#slider input[type=range]").first.press("End")
        page.locator("#slider input[type=range]").first.press("ArrowLeft")
        assert {tp + fp for tp, _, fp, _ in counts_of(page)} == {594}


def test_names_that_look_like_colours_or_hold_codes_are_shown_as_they_are(opened):
    with opened("names", dark=True) as page:
        assert "#010101" in page.locator("#curves svg").first.text_content()
        assert "\x1b" not in written("names")
        assert r"\x1b[31mred" in page.locator("h1").text_content()
        assert page.locator("#slider tbody th").all_text_contents() == ["#010101", r"\x1b[31mred"]


def test_keys_reach_every_control_and_table(opened):
    with opened("groups") as page:
        shown = "#slider input, #slider select, #groups .wide, #verdict .wide, thead button, .tools button"
        wanted = page.locator(shown).filter(visible=True)
        places = wanted.evaluate_all(f"(all) => all.map((each) => {EVERY}.indexOf(each))")
        found = set()
        while (place := page.evaluate(f"{EVERY}.indexOf(document.activeElement)")) not in found:
            found.add(place)
            page.keyboard.press("Tab")
        assert {*places} <= found


@pytest.mark.parametrize("state", STATES)
def test_pages_are_read_on_a_phone_and_in_the_dark(opened, state):
    with opened(state, width=PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert min(page.evaluate(SIZES), default=9) >= 8.99
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(UNREADABLE) == []


def test_a_page_says_the_same_without_script(opened):
    with opened("models", script=False, width=PHONE) as page:
        assert not page.locator("#slider").is_visible()
        assert page.locator("thead button, .tools").count() == 0
        assert all("At threshold 0.3," in sentence for sentence in sentences(page))
        assert page.locator("#verdict").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


def test_the_readme_shows_the_page_of_its_command(browser, monkeypatch, tmp_path):
    """The description of the picture is what it shows.  Delete it once the page says other things: it is drawn anew."""
    root = Path(__file__).parents[2]
    readme = (root / "README.md").read_text("utf-8")
    picture = root / re.search(r"^!\[.*\]\((.*)\)", readme, re.MULTILINE)[1]
    (tmp_path / "notebooks").symlink_to(root / "notebooks")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(re.search(r"^evalcore (compare .*)", readme, re.MULTILINE)[1])
    assert CliRunner().invoke(main, words).exit_code == 0
    page = browser.new_page(viewport={"width": 1000, "height": 1100}, device_scale_factor=1.5)
    page.goto((tmp_path / words[-1]).as_uri())
    said = page.inner_text("main").partition("PASS")[2].partition("\nThresholds\n")[0]
    if not picture.exists():
        description = PngImagePlugin.PngInfo()
        description.add_itxt("Description", said)
        Image.open(io.BytesIO(page.screenshot())).quantize(64).save(picture, optimize=True, pnginfo=description)
    page.close()
    assert Image.open(picture).text["Description"] == said
