import html as markup
import re
from typing import Any

import pytest

from entrypoints.http.console.pages.trajectory_messages import beginning, duration, indented
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE
from tests.console.test_trajectories import kept, opened, said


def test_messages_come_in_pages_of_twenty_with_links_to_each(reader, job):
    name = kept(job, "t1", *(said(f"message number {n}") for n in range(1, 46)))
    first = opened(reader, job, name)
    assert "message number 20" in first
    assert "message number 21" not in first
    last = opened(reader, job, name, "?page=3&scope=validation")
    assert re.findall(r'data-number="(\d+)"', last) == ["41", "42", "43", "44", "45"]
    assert 'id="message-45"' in last
    assert f'href="/runs/{job.run_id}/trajectories/{name}?scope=validation&amp;page=3#message-45"' in last
    assert "There is no page 4: the text has 3." in text_of(opened(reader, job, name, "?page=4"))
    for wrong in ("0", "-1", "x"):
        assert reader.get(f"/runs/{job.run_id}/trajectories/{name}?page={wrong}").status_code == 422
    assert reader.get(f"/runs/{job.run_id}/trajectories/{'0' * 64}").status_code == 404


CALL: dict[str, Any] = {"tool_name": "calc", "tool_call_id": "c1", "duration_ms": 1.5, "tokens": 3}


def test_a_call_and_its_result_stand_together_folded_with_name_id_time_and_tokens(reader, job):
    name = kept(
        job, "t1", said('{"a":[1,2]}', **CALL), said("42", "tool", tool_call_id="c1", duration_ms=2_500), said("so 42")
    )
    html = opened(reader, job, name)
    call = re.search(r'<article class="message call assistant" id="message-1".*?</article>', html, re.DOTALL)
    assert call is not None
    summary = text_of(re.search(r"<summary>.*?</summary>", call[0], re.DOTALL)[0])
    assert "assistant calls calc {&#34;a&#34;:[1,2]} → 42 call id c1 1.5 ms 3 tokens JSON, indented" in summary
    assert '<details class="tool"><summary>' in call[0]
    assert 'id="message-2"' in call[0]
    assert "2.5 s" in text_of(call[0])
    assert "{\n  &#34;a&#34;: [\n    1,\n    2\n  ]\n}" in call[0]
    assert 'id="message-3"' not in call[0]


def test_a_result_behind_other_messages_leaves_a_note_where_it_came(reader, job):
    name = kept(job, "t1", said("{}", **CALL), said("meanwhile"), said("42", "tool", tool_call_id="c1"))
    html = opened(reader, job, name)
    assert re.findall(r'id="(message-\d)"', html) == ["message-1", "message-3", "message-2"]
    assert "3 tool what came back is shown with its call: message 1" in text_of(html)


def test_a_call_and_its_result_on_two_pages_are_linked(reader, job):
    name = kept(job, "t1", said("{}", **CALL), *[said("…")] * 20, said("42", "tool", tool_call_id="c1"))
    first, second = opened(reader, job, name), opened(reader, job, name, "?page=2")
    assert "What came back stands on another page: message 22" in text_of(first)
    assert f"/trajectories/{name}?page=2#message-22" in first
    assert "The call stands on another page: message 1" in text_of(second)
    assert f"/trajectories/{name}?page=1#message-1" in second


def test_a_long_message_is_folded_and_says_how_long_it_is(reader, job):
    name = kept(job, "t1", said("x" * 1_500), said("y" * 1_501), said("z\n" * 24 + "end"))
    html = opened(reader, job, name)
    assert re.findall(r'class="more">([^<]*)<', html) == ["Show all 1,501 characters", "Show all 51 characters"]
    assert html.count("x" * 1_500) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", ""),
        ("a\n" * 23, ""),
        ("a\n" * 30, "a\n" * 11 + "a …"),
        ("w" * 2_000, "w" * 800 + " …"),
    ],
)
def test_the_beginning_of_a_text_ends_with_a_line_where_it_can(text, shown):
    assert beginning(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"n":1e999,"n":12345678901234567890}', '{\n  "n": 1e999,\n  "n": 12345678901234567890\n}'),
        (' ["\\u0041"]', '[\n  "\\u0041"\n]'),
        ("{'a': 1}", None),
        ('{"a": NaN}', None),
        ("[1] and more", None),
        ('"text"', None),
        ("[" * 24 + "]" * 24, "[" * 24),
        ("[" * 25 + "]" * 25, None),
        ('["[[[[[[[[[[[[[[[[[[[[[[[[[[\\"[["]', '[\n  "[[[[[[[[[[[[[[[[[[[[[[[[[[\\"[["\n]'),
        ("[" * 16_000, None),
        ('["\ud800"]', None),
    ],
)
def test_json_is_indented_as_it_was_written_and_deep_nesting_stays_as_it_is(text, shown):
    found = indented(text)
    assert (found and found.replace(" ", "").replace("\n", "")) == (
        shown and (text if shown == "[" * 24 else shown).replace(" ", "").replace("\n", "")
    )
    if shown and shown != "[" * 24:
        assert found == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (None, ""),
        (0.0, "0 ms"),
        (1.5, "1.5 ms"),
        (999.0, "999 ms"),
        (1_000.0, "1 s"),
        (2_540.0, "2.54 s"),
        (9e4, "1.5 min"),
    ],
)
def test_durations_are_readable(milliseconds, shown):
    assert duration(milliseconds) == shown


def test_a_search_lists_the_messages_with_links_to_their_pages(reader, job):
    name = kept(job, "t1", *(said(f"m{n} " + ("needle Needle" if n in {3, 25} else "hay")) for n in range(1, 31)))
    html = opened(reader, job, name, "?q=NEEDLE&step=1")
    assert "2 messages with “NEEDLE”" in text_of(html)
    found = re.findall(r'<li><a href="([^"]*)">(\d+)</a>', html)
    assert [number for _, number in found] == ["3", "25"]
    assert markup.unescape(found[1][0]) == f"/runs/{job.run_id}/trajectories/{name}?step=1&page=2&q=NEEDLE#message-25"
    assert "<mark>needle</mark>" in html
    assert "2 times" in text_of(html)
    assert "0 messages with" in text_of(opened(reader, job, name, "?q=%3Cb%3E"))
    assert '<input type="hidden" name="step" value="1">' in html


def test_whatever_a_message_holds_is_text(reader, job):
    nasty = [
        HOSTILE,
        "[click](javascript:alert(1)) ![x](https://example.invalid/x.png)",
        "\x1b[31mred\x1b[0m \x07",
        "a\u202eb",
        "a\0b\r\nc",
    ]
    call = {"tool_name": HOSTILE[:64], "tool_call_id": HOSTILE[:64]}
    name = kept(job, HOSTILE, *map(said, nasty), said(f"\x1b[0m{HOSTILE}", **call), termination=HOSTILE)
    for html in (
        opened(reader, job, name, "?q=%3Cscript"),
        reader.page(f"/runs/{job.run_id}/trajectories"),
        reader.page(f"/review/trajectories?left={job.run_id}:{name}&right="),
    ):
        assert "<script>alert" not in html
        assert "<img" not in html
        assert "\x1b" not in html
        assert not re.search(r'href="(?:javascript|https?):', html)


def test_two_stand_beside_each_other_and_are_turned_over_together(reader, job):
    left = kept(job, "t1", *(said(f"left {n}") for n in range(1, 31)))
    right = kept(job, "t1", *(said(f"right {n}") for n in range(1, 22)), trial_attempt=1)
    address = f"/review/trajectories?left={job.run_id}:{left}&right={job.run_id}:{right}"
    first, second = reader.page(address), reader.page(f"{address}&page=2")
    assert "left 20" in first
    assert "right 20" in first
    assert 'id="left-message-21"' in second
    assert 'id="right-message-21"' in second
    assert markup.unescape(re.search(r'rel="next" href="([^"]*)"', first)[1]) == f"{address}&page=2"
    assert 'rel="next"' not in second
    swapped = f"/review/trajectories?left={job.run_id}:{right}&right={job.run_id}:{left}&page=1"
    assert swapped in markup.unescape(first)
    assert "observed, no statistical proof" in text_of(first)


def test_an_empty_side_means_that_none_was_sent(reader, job):
    name = kept(job)
    text = text_of(reader.page(f"/review/trajectories?left={job.run_id}:{name}&right="))
    assert "Right None sent" in text
    assert "Missing text does not mean that a trial failed" in text
    assert "None sent" in text_of(reader.page("/review/trajectories"))
    for wrong in ("x", "x:", f"nothing:{name}", f"{job.run_id}:nothing"):
        assert reader.get(f"/review/trajectories?left={wrong}&right=").status_code in {404, 422}
