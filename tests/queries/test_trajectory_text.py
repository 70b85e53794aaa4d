import json
import tracemalloc
from typing import Any

from application.queries.trajectory_text import TrajectoryText, page_of


def text_of(*messages: dict[str, Any]) -> TrajectoryText:
    return TrajectoryText(json.dumps({"messages": messages}).encode())


def said(content: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def call(call_id: str, content: str = "{}") -> dict[str, Any]:
    return said(content, tool_name="calc", tool_call_id=call_id)


def result(call_id: str, content: str = "4") -> dict[str, Any]:
    return said(content, "tool", tool_call_id=call_id)


def links(text: TrajectoryText, page: int = 1):
    return [(one.number, one.call, list(one.results)) for one in text.page(page) if one.call or one.results]


def test_messages_are_numbered_through_all_pages():
    text = text_of(*(said(str(n)) for n in range(1, 42)))

    assert text.pages == 3
    numbers = [one.number for page in (1, 2, 3, 4) for one in text.page(page)]
    assert numbers == list(range(1, 42))
    assert [page_of(number) for number in (1, 20, 21, 40, 41)] == [1, 1, 2, 2, 3]
    assert [one.message.content for one in text.page(3)] == ["41"]


def test_a_result_belongs_to_the_call_with_its_id_wherever_both_stand():
    filling = [said("…")] * 18
    text = text_of(call("a"), call("b"), result("b"), *filling, result("a"), result("a"))

    assert links(text, 1) == [(1, None, [22, 23]), (2, None, [3]), (3, 2, [])]
    assert links(text, 2) == [(22, 1, []), (23, 1, [])]


def test_an_id_that_is_used_again_means_the_latest_call_and_a_result_before_any_call_belongs_to_none():
    text = text_of(result("a"), call("a"), result("a"), call("a"), result("a"), result("z"))

    assert links(text) == [(2, None, [3]), (3, 2, []), (4, None, [5]), (5, 4, [])]


def test_a_search_finds_text_names_and_ids_literally_and_in_any_case():
    text = text_of(said("x" * 100 + "A.c" + "y" * 100), said("abc"), call("ID-7"), *[said("-")] * 20, said("a.C a.c"))

    found = text.search("a.c")

    assert (found.messages, [(one.number, one.page, one.times) for one in found.hits]) == (2, [(1, 1, 1), (24, 2, 2)])
    assert (found.hits[0].before, found.hits[0].found, found.hits[0].after) == ("x" * 70, "A.c", "y" * 70)
    assert [one.number for one in text.search("id-7").hits] == [3]
    assert [one.number for one in text.search("CALC").hits] == [3]


def test_a_search_counts_all_and_shows_a_hundred():
    found = text_of(*[said("a")] * 120).search("a")

    assert (found.messages, len(found.hits), found.hits[-1].number) == (120, 100, 100)


def test_memory_holds_little_more_than_the_body():
    body = json.dumps({"messages": [said("x" * 1_000) for _ in range(1_000)]}).encode()
    tracemalloc.start()
    text = TrajectoryText(body)
    shown, found = text.page(7), text.search("nothing")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(body) > 1_000_000
    assert (len(shown), found.messages) == (20, 0)
    assert most < 300_000
