import pytest

from entrypoints.http.console.wording import brief, in_address, number, percent, plural, showable, size, utc, value


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (None, "unknown"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.8333, "83.3 %"),
        (0.9999, "> 99.9 %"),
        (0.00001, "< 0.1 %"),
        (0.5, "50.0 %"),
    ],
)
def test_a_rate_reads_as_all_or_nothing_only_where_it_is(ratio, shown):
    assert percent(ratio) == shown


def test_what_nobody_said_reads_as_unknown():
    assert (number(None), value(None), number(0), value(0.0)) == ("unknown", "unknown", "0", "0")


def test_numbers_times_and_sizes_are_readable():
    assert (number(1_234_567), plural(1, "point"), plural(2_000, "point")) == ("1,234,567", "1 point", "2,000 points")
    assert (size(0), size(1_023), size(1_536), size(5 * 1024**3)) == ("0 bytes", "1,023 bytes", "1.5 KiB", "5.0 GiB")
    assert utc("2026-01-01T12:34:56.789000Z") == "2026-01-01 12:34:56 UTC"
    assert value(0.123456789) == "0.123457"
    assert (brief(82.2256), brief(57_010.4), brief(-0.00123), brief(100), brief(None)) == (
        "82.2",
        "57,010",
        "-0.00123",
        "100",
        "unknown",
    )


def test_control_characters_show_as_replacements_and_other_text_stays():
    assert showable("a\x00b\x1b[31m\x7f\x85\tc\ne\u202e") == "a\ufffdb\ufffd[31m\ufffd\ufffd\tc\ne\u202e"


def test_names_in_addresses_cannot_leave_their_place():
    assert in_address("a/b?c&d#e") == "a%2Fb%3Fc%26d%23e"
