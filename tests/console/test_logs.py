"""The log's page: the last lines, or those around a line or a time; search; long and hostile lines; the past."""

import re

import pytest

from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE


def printed(job, *chunks: str, eof: bool = False) -> int:
    """The position behind it."""
    answer = job.post("logs", chunks=list(chunks), eof=eof)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


def numbers(page: str) -> list[int]:
    return [int(n) for n in re.findall(r'class="line[^"]*" id="L(\d+)"', page)]


def marked(page: str) -> list[str]:
    return re.findall(r'class="line[^"]* marked" id="(L\d+)"', page)


def test_the_last_lines_are_shown_and_a_line_that_is_asked_for_stands_among_its_neighbours(site, job):
    printed(job, *(f"line {n}\n" for n in range(1, 2001)))
    logs = f"/runs/{job.run_id}/logs"

    last, middle, first = site.page(logs), site.page(f"{logs}?line=1000"), site.page(f"{logs}?line=1")

    assert (numbers(last)[0], numbers(last)[-1], marked(last)) == (1701, 2000, [])
    assert (numbers(middle)[0], numbers(middle)[-1], marked(middle)) == (850, 1149, ["L1000"])
    assert (numbers(first)[0], marked(first)) == (1, ["L1"])
    assert numbers(site.page(f"{logs}?line=2001")) == numbers(last)
    assert 'name="later" class="small" hidden' in last
    assert 'name="later" class="small">' in middle
    assert "streams=logs,lifecycle,validation" in last
    assert "streams=lifecycle,validation" in middle


def test_the_link_of_a_line_keeps_its_attempt_and_moment(site, job):
    position = printed(job, "one\n")
    assert f'href="/runs/{job.run_id}/logs?attempt=0&amp;as_of={position}&amp;line=1#L1"' in site.page(
        f"/runs/{job.run_id}/logs?as_of={position}"
    )


def test_a_line_that_has_not_come_is_said_to_be_missing(site, job):
    printed(job, "one\n")
    page = text_of(site.page(f"/runs/{job.run_id}/logs?line=12,345"))
    assert "That line has not come: the log of attempt 0 has 1 line." in page


@pytest.mark.parametrize("line", ["0", "-1", "x", "9" * 30])
def test_what_is_no_line_is_refused(site, job, line):
    site.page(f"/runs/{job.run_id}/logs?line={line}", status=422)


def test_a_time_leads_to_its_line(site, job):
    printed(job, "one\ntwo\n")
    for at, line in (("2000-01-01T00:00:00", 1), ("2000-01-01T00:00:00+02:00", 1), ("2999-01-01T00:00", 3)):
        answer = site.get(f"/runs/{job.run_id}/logs?line=&at={at.replace('+', '%2B')}")
        assert (answer.status_code, answer.headers["location"]) == (
            303,
            f"/runs/{job.run_id}/logs?attempt=0&line={line}#L{line}",
        )
    site.page(f"/runs/{job.run_id}/logs?at=noon", status=422)


def test_old_attempts_and_the_past_are_searched_as_they_are_shown(site, job):
    printed(job, "zero\n")
    position = printed(job, "another zero\n")
    printed(job, "zero, later\n")
    again = site.open_attempt(job.run_id)
    printed(again, "of the second\n")
    logs = f"/runs/{job.run_id}/logs"

    assert "0 lines found; searched to line 1 of 1." in text_of(site.page(f"{logs}?q=zero"))
    assert "3 lines found; searched to line 3 of 3." in text_of(site.page(f"{logs}?q=zero&attempt=0"))
    assert "2 lines found; searched to line 2 of 2." in text_of(site.page(f"{logs}?q=zero&as_of={position}"))
    assert numbers(site.page(f"{logs}?attempt=0")) == [1, 2, 3]


def test_a_search_marks_what_was_found_and_says_how_far_it_came(site, job, monkeypatch):
    monkeypatch.setattr("application.queries.log_search._BYTES", 10)
    printed(job, f"x {HOSTILE} y\n")
    printed(job, "<b>NEEDLE</b>\n")
    printed(job, "z" * 500 + "needle" + "w" * 500 + "\n")

    part = site.page(f"/runs/{job.run_id}/logs/found?q=needle")
    assert "0 lines found; searched to line 1 of 3. Search on" in text_of(part)
    assert 'hx-trigger="load"' in part
    following = re.search(r'hx-get="([^"]+)" hx-trigger="load"', part)[1].replace("&amp;", "&")
    part = site.page(following)
    assert "1 line found; searched to line 2 of 3. Search on" in text_of(part)
    assert "&lt;b&gt;<mark>NEEDLE</mark>&lt;/b&gt;" in part
    assert f'href="/runs/{job.run_id}/logs?attempt=0&amp;line=2#L2"' in part
    part = site.page(re.search(r'hx-get="([^"]+)" hx-trigger="load"', part)[1].replace("&amp;", "&"))
    assert "2 lines found; searched to line 3 of 3." in text_of(part)
    assert f"…{'z' * 60}<mark>needle</mark>{'w' * 160}…" in part
    assert "Search on" not in part


def test_a_search_that_found_enough_waits_to_be_told(site, job):
    printed(job, "hit\n" * 150)

    part = site.page(f"/runs/{job.run_id}/logs/found?q=hit")

    assert "100 lines found; searched to line 100 of 150. Search on" in text_of(part)
    assert 'hx-trigger="load"' not in part
    following = re.search(r'<a href="([^"]+)" hx-get', part)[1].replace("&amp;", "&")
    assert "150 lines found; searched to line 150 of 150." in text_of(site.page(following))


def test_the_server_says_which_lines_look_like_errors(site, job):
    printed(job, "fine\nValueError: x\n0 errors\n")
    page = site.page(f"/runs/{job.run_id}/logs")
    assert re.findall(r'class="line error" id="(L\d)"', page) == ["L2"]
    assert "1 line found" in text_of(site.page(f"/runs/{job.run_id}/logs?errors=true"))


def test_a_long_line_is_cut_and_all_of_it_is_a_link_away(site, job):
    printed(job, "a" * 2000 + "\n", "b" * 2001 + "\n", "c" * 1_000_000 + "\n")
    page = site.page(f"/runs/{job.run_id}/logs")

    assert len(page) < 50_000
    assert re.findall(r">(show [^<]+)<", page) == ["show all 2,001 characters", "show the whole line"]
    whole = re.findall(r'class="more" href="([^"]+)"', page)[1].replace("&amp;", "&")
    assert site.get(whole).json() == {"n": 2, "text": "c" * 1_000_000, "cut": False}
    some = site.get(f"/runs/{job.run_id}/logs/lines?attempt=0&first=1&count=2").json()
    assert [len(line["text"]) for line in some["lines"]] == [2000, 2000]
    assert some["end"]


def test_whatever_is_printed_is_text(site, job):
    printed(job, f"{HOSTILE}\n", "\x1b[31mred\x1b[0m\x1b]0;title\x07 \u202eturned\n", "10%\r100%\n", "\x00\x85half")
    page = site.page(f"/runs/{job.run_id}/logs")
    lines = re.findall(r'<bdi class="text">(.*?)</bdi>', page)
    assert HOSTILE not in page
    assert lines[1:] == ["red \ufffdturned", "100%", "\ufffd\ufffdhalf"]
    assert 'class="line partial" id="L4"' in page


def test_further_lines_are_those_of_one_attempt(site, job):
    printed(job, *(f"line {n}\n" for n in range(1, 1501)))
    lines = f"/runs/{job.run_id}/logs/lines"
    some = site.get(f"{lines}?attempt=0&first=0").json()
    assert ([line["n"] for line in some["lines"]], some["end"]) == (list(range(1000)), False)
    assert site.get(f"{lines}?attempt=0&first=1000&count=500").json()["end"]
    assert site.get(f"{lines}?first=0").status_code == 422
    assert site.get(f"{lines}?attempt=0&first=0&count=1001").status_code == 422


def test_a_job_without_lines_says_what_to_check(site, job):
    assert "No line yet. What to check" in text_of(site.page(f"/runs/{job.run_id}/logs"))
