"""What a browser makes of the pages: when something is seen first, and whether 4,096 charts scroll."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.bench.bench import Bench
from tests.bench.pages import pages, signed_in
from tests.bench.stack import Stack
from tests.bench.table import Row, row
from tests.browser.conftest import FLAGS, PROGRAMS
from tests.browser.test_charts import LONG_TASKS, SCROLL_AND_SEARCH

_FIRST_PAINT = """() => new Promise((seen) => new PerformanceObserver((list) => list.getEntriesByName(
  'first-contentful-paint').forEach((one) => seen(one.startTime))).observe({ type: 'paint', buffered: true }))"""
_LEFT_OUT = ("series list", "columns of jobs")
"""No pages, but what pages read."""


def measure(bench: Bench) -> Iterator[Row]:
    """First contentful paint of each page in a browser that has nothing yet; the longest task while scrolling."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        return
    stack, left, right = bench.large()
    session = signed_in(stack, "watcher")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        seen = {
            name: [_first_paint(browser, stack, session, path) for _ in range(bench.repeats)]
            for name, path in pages(left, right).items()
            if name not in _LEFT_OUT
        }
        worst = max(seen, key=lambda name: max(seen[name]))
        every = [one for taken in seen.values() for one in taken]
        note = f"slowest: {worst}; {len(seen)} pages, each with an empty cache"
        yield row("first contentful paint of a page, worst", "< 1000 ms", [max(every)], "ms", note=note)
        longest = [_longest_task(browser, stack, session, left) for _ in range(bench.repeats)]
        yield row("longest task while 4,096 charts scroll", "<= 200 ms", longest, "ms")
        browser.close()


def _context(browser: Browser, stack: Stack, session: str) -> BrowserContext:
    """Signed in, nothing cached."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    name, _, value = session.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": stack.server.url}])
    return context


def _first_paint(browser: Browser, stack: Stack, session: str, path: str) -> float:
    """Milliseconds from navigation to the first text or picture."""
    context = _context(browser, stack, session)
    page = context.new_page()
    page.goto(stack.server.url + path)
    taken = float(page.evaluate(_FIRST_PAINT))
    context.close()
    return taken


def _longest_task(browser: Browser, stack: Stack, session: str, run_id: str) -> float:
    """Milliseconds; 0 where no task took 50 ms."""
    context = _context(browser, stack, session)
    context.add_init_script(LONG_TASKS)
    page = context.new_page()
    page.goto(f"{stack.server.url}/runs/{run_id}")
    page.wait_for_selector("tp-chart canvas")
    found = page.evaluate(SCROLL_AND_SEARCH)
    context.close()
    return float(found["longest"])
