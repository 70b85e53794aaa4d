"""Takes the pictures of the README from a running server, best one whose demonstration has ended.

python -m tests.browser.pictures http://127.0.0.1:8420 PASSWORD
"""

import argparse
import re
import shutil
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FLAGS, PROGRAMS

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SETTLED_MILLISECONDS = 1_500
"""Charts are drawn, and a live point or two have come."""


def take(page: Page, name: str, height: int = 960) -> None:
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    page.screenshot(path=FOLDER / f"{name}.png", clip={"x": 0, "y": 0, "width": 1280, "height": height})


def show_retry(page: Page) -> None:
    """The first round, and the attempts of its first trial, whose verifier had no answer at once."""
    page.get_by_role("link", name="Inspect trial results").last.click()
    page.locator("#trials .trial").first.click()
    page.wait_for_selector(".retries")
    page.locator(".round.chosen").evaluate("one => scrollTo(0, one.getBoundingClientRect().top + scrollY - 12)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("password", help="of admin")
    parser.add_argument("--run", help="the job to show (default: the newest)")
    given = parser.parse_args()
    url = given.url.rstrip("/")
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 960})
        page.goto(f"{url}/login")
        page.get_by_label("Name").fill("admin")
        page.get_by_label("Password").fill(given.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector("#jobs")
        newest = re.search(r'href="/runs/([^"]+)"', page.content())
        if given.run is None and newest is None:
            parser.error("There is no job yet.")
        run = f"{url}/runs/{given.run or (newest and newest[1])}"
        page.goto(run)
        page.wait_for_selector("tp-chart canvas")
        take(page, "charts")
        page.goto(f"{run}/validation")
        show_retry(page)
        take(page, "validation", 560)
        browser.close()


if __name__ == "__main__":
    main()
