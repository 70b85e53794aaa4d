"""Takes the pictures of the README from a running server: a demonstration's job that has ended, and two evaluations.

python -m tests.browser.pictures http://127.0.0.1:8420 PASSWORD DEMO LEFT RIGHT

DEMO is the job that the demonstration named; LEFT and RIGHT are those that `python -m tests.evaluation_jobs` printed.
"""

import argparse
import shutil
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import FLAGS, PROGRAMS

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH = 1280


def take(page: Page, name: str, height: int, top: str = "body") -> None:
    """From the element `top` on."""
    box = page.locator(top).first.bounding_box()
    assert box is not None
    page.screenshot(
        path=FOLDER / f"{name}.png",
        clip={"x": 0, "y": max(0, box["y"] - 8), "width": WIDTH, "height": height},
        full_page=True,
    )


def charts(page: Page, url: str, demo: str) -> None:
    """The held-out curves pinned beside the loss."""
    pins = [("pin", key) for key in ("train/loss", "eval/accuracy", "eval/loss")]
    page.goto(f"{url}/runs/{demo}?{urlencode(pins)}")
    page.wait_for_selector("tp-chart canvas")
    page.wait_for_load_state("networkidle")
    take(page, "charts", 980)


def evaluations(page: Page, url: str, left: str, right: str) -> None:
    """A round with its trials, and what may be said of it beside an earlier one."""
    page.goto(f"{url}/runs/{right}/validation?{urlencode({'round_id': 'agent-tasks'})}")
    page.wait_for_selector("#trials table")
    take(page, "validation", 800, "nav.tabs")
    sides = {"left": f"{left}:agent-tasks", "right": f"{right}:agent-tasks", "transition": "all"}
    page.goto(f"{url}/review/rounds?{urlencode(sides)}")
    page.wait_for_load_state("networkidle")
    take(page, "review", 820)


def history(page: Page, url: str, demo: str) -> None:
    """The job as it was halfway."""
    page.goto(f"{url}/runs/{demo}/history")
    handle = page.get_by_label("Position, from")
    least, most = (int(handle.get_attribute(name) or 0) for name in ("min", "max"))
    handle.fill(str((least + most) // 2))
    page.wait_for_selector("#past table.then")
    take(page, "history", 620, "nav.tabs")


def signed_in(browser: Browser, url: str, password: str) -> Page:
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
    page.goto(f"{url}/login")
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#jobs")
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("url", "password", "demo", "left", "right"):
        parser.add_argument(name)
    given = parser.parse_args()
    url = given.url.rstrip("/")
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = signed_in(browser, url, given.password)
        charts(page, url, given.demo)
        history(page, url, given.demo)
        evaluations(page, url, given.left, given.right)
        browser.close()


if __name__ == "__main__":
    main()
