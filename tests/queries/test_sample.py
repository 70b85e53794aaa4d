import pytest

from application.queries.round import rounds
from application.queries.sample import page_before, samples, samples_of_rounds
from domain.errors import UnknownThing
from domain.events.sample import Sample, SampleSummary
from domain.ids import RoundId
from tests import factories as a

ROUND = RoundId("100")


def rows(numbers, text="answer {}"):
    return tuple(Sample(n, "q", text.format(n), reward=0.5) for n in numbers)


def chunk(index, numbers, text="answer {}", **changes):
    summary = SampleSummary(avg_reward=0.5) if index == 0 else None
    given = {"round_id": ROUND, "step": 100, "chunk_index": index, "total_chunks": 2, "total_samples": 16}
    return a.samples(**{**given, "samples": rows(numbers, text), "summary": summary, **changes})


def the_round(reports):
    found = samples(reports.views, a.RUN, ROUND).of_round
    assert found is not None
    return found


def listed(reports, **asked):
    return [(one.idx, one.assistant) for one in samples(reports.views, a.RUN, ROUND, **asked).items]


def test_samples_are_all_there_whatever_the_order_of_chunks(reports):
    reports.of(chunk(1, range(8, 16)), chunk(0, range(8)), chunk(1, range(8, 16)), chunk(1, range(8, 16), "changed"))

    found: list[tuple[int, str]] = []
    cursor = None
    for _ in range(4):
        page = samples(reports.views, a.RUN, ROUND, limit=5, cursor=cursor)
        assert len(page.items) <= 5
        found += [(one.idx, one.assistant) for one in page.items]
        cursor = page.next_cursor

    assert (found, cursor) == ([(n, f"answer {n}") for n in range(16)], None)


def test_the_first_accepted_sample_of_a_number_stands(reports):
    reports.of(chunk(0, (0, 1)), chunk(1, (1, 2), "second {}"))

    assert listed(reports) == [(0, "answer 0"), (1, "answer 1"), (2, "second 2")]
    assert the_round(reports).samples == 3


def test_what_chunk_0_says_of_the_round_is_found_and_what_it_does_not_is_none(reports):
    reports.of(chunk(1, range(8, 16)))
    before = the_round(reports)
    reports.of(chunk(0, range(8)))

    found = the_round(reports)

    assert (before.avg_reward, before.chunks, before.samples) == (None, 1, 8)
    assert (found.avg_reward, found.accuracy, found.avg_len, found.dist) == (0.5, None, None, None)
    assert (found.samples, found.total_samples, found.chunks, found.total_chunks, found.step) == (16, 16, 2, 2, 100)


def test_a_set_aside_chunk_counts_on_its_round(reports):
    reports.of(chunk(0, range(2)), chunk(0, range(2), "changed"))

    (found,) = rounds(reports.views, a.RUN).items

    assert (found.round_id, found.set_aside, found.reported) == ("100", 1, None)


def test_a_page_of_long_texts_ends_early(reports, monkeypatch):
    monkeypatch.setattr("application.queries.sample._CHARS", 100)
    reports.of(chunk(0, range(40), "long {} " + "x" * 20))

    page = samples(reports.views, a.RUN, ROUND, limit=40)
    rest = samples(reports.views, a.RUN, ROUND, limit=40, cursor=page.next_cursor)

    assert [one.idx for one in page.items] == list(range(16))
    assert [one.idx for one in rest.items] == list(range(16, 32))


def test_samples_are_read_from_a_number_on_and_the_page_before_is_found(reports):
    reports.of(chunk(0, (0, 2, 4, 6, 8)), chunk(1, (10, 12)))

    def before(idx):
        return page_before(reports.views, a.RUN, ROUND, idx, limit=2)

    assert [idx for idx, _ in listed(reports, first=5, limit=2)] == [6, 8]
    assert [idx for idx, _ in listed(reports, first=12)] == [12]
    assert listed(reports, first=13) == []
    assert [before(6), before(2), before(0)] == [2, 0, None]


def test_a_page_may_end_behind_fewer_characters(reports):
    reports.of(chunk(0, range(40), "long {} " + "x" * 20))

    assert [idx for idx, _ in listed(reports, chars=100)] == list(range(16))


def test_what_arrived_of_the_samples_of_many_rounds_is_found_at_once(reports):
    reports.of(chunk(0, range(2)), chunk(0, (7,), round_id="other"), a.an_outcome(round_id="none"))

    found = samples_of_rounds(reports.views, a.RUN, rounds(reports.views, a.RUN).items)

    assert {name: (one.samples, one.chunks, one.total_chunks) for (_, name), one in found.items()} == {
        "100": (2, 1, 2),
        "other": (1, 1, 2),
    }
    assert samples_of_rounds(reports.views, a.RUN, []) == {}


def test_samples_are_those_of_the_highest_attempt_that_reported_the_round(restarted):
    restarted.of(chunk(0, (0,), "new", attempt=1), chunk(0, (0,), "old"))

    assert listed(restarted) == [(0, "new")]
    assert listed(restarted, attempt=0) == [(0, "old")]


def test_a_round_without_samples_has_none(reports):
    reports.of(a.an_outcome(round_id=ROUND))

    assert listed(reports) == []
    assert samples(reports.views, a.RUN, ROUND).of_round is None
    with pytest.raises(UnknownThing):
        samples(reports.views, a.RUN, RoundId("other"))
