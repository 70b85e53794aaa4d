from __future__ import annotations

from domain.events.sample import Sample
from domain.sample import report_samples as reporting
from tests.domain.given import given
from tests.factories import samples


def test_chunks_are_recorded_whatever_their_order():
    second, first = samples(chunk_index=1), samples(chunk_index=0)
    given(reporting(second)).when(reporting(first)).then(first)


def test_the_same_chunk_again_changes_nothing():
    given(reporting(samples())).when(reporting(samples())).then(duplicates=1)


def test_other_texts_for_a_chunk_are_set_aside():
    late = samples(samples=(Sample(0, "question", "another answer"),))
    given(reporting(samples())).when(reporting(late)).then(set_aside=[late])
