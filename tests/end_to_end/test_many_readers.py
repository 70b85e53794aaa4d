"""Three hundred people watch one job: none of them misses a line or is told one twice."""

from tests.end_to_end.many_readers import ManyReaders

READERS = 300
LINES = 40


def test_every_one_of_many_readers_is_told_every_line_once_and_in_order(api):
    job = api.open_run("watched by everybody")
    with ManyReaders(api, job.run_id, READERS) as readers:
        for number in range(LINES):
            job.post("logs", chunks=[f"line {number}\n"], eof=False)
        readers.await_lines(LINES)
    expected = [(number, f"line {number}") for number in range(LINES)]
    for told in readers.told:
        assert [(one.n, one.text) for one in told] == expected
