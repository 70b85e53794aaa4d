import contextlib
import threading
import time

import pytest

from adapters.memory.object_store import MemoryObjectStore
from domain.errors import TryAgain
from entrypoints.http.console.texts import READING, Texts
from tests.bodies import keep

BODY = b'{"messages": [{"role": "user", "content": "hello"}]}'
PATIENCE_SECONDS = 30.0


class Hanging(MemoryObjectStore):
    """Answers when it is told to."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def get(self, key):
        self.go.wait(PATIENCE_SECONDS)
        return super().get(key)


def read_in_the_end(texts: Texts):
    """As a reader who tries again."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(TryAgain):
            return texts.read("a")
    pytest.fail("it never came back")


class Broken(MemoryObjectStore):
    def get(self, key):
        raise RuntimeError(key)


def test_a_text_is_read_and_one_that_is_not_there_is_none():
    store = MemoryObjectStore()
    keep(store, "a", BODY)
    keep(store, "b", b"no body")
    texts = Texts(lambda: store)
    text = texts.read("a")
    assert text is not None
    assert text.page(1)[0].message.content == "hello"
    assert texts.read("b") is None
    assert texts.read("c") is None


def test_a_store_that_hangs_is_waited_for_briefly_and_by_few():
    store = Hanging()
    keep(store, "a", BODY)
    texts = Texts(lambda: store, wait_seconds=0.01)
    for _ in range(READING + 2):
        with pytest.raises(TryAgain, match="cannot be read now"):
            texts.read("a")
    assert sum(thread.name == "text" for thread in threading.enumerate()) == READING
    store.go.set()
    assert read_in_the_end(Texts(lambda: store)) is not None


def test_the_places_of_readers_come_back_when_the_store_does():
    store = Hanging()
    keep(store, "a", BODY)
    texts = Texts(lambda: store, wait_seconds=0.01)
    for _ in range(READING):
        with pytest.raises(TryAgain):
            texts.read("a")
    store.go.set()
    for _ in range(2 * READING):
        assert read_in_the_end(texts) is not None


def test_a_fault_that_is_none_of_the_stores_is_not_hidden_and_takes_no_place():
    texts = Texts(Broken)
    for _ in range(READING + 1):
        with pytest.raises(RuntimeError):
            texts.read("a")
