from entrypoints.http.console.addresses import address_of, extended, pairs


def test_what_is_unknown_or_empty_goes_without_saying_and_zero_does_not():
    assert address_of("/review", {"left": "", "as_of": None, "series": [], "attempt": 0}) == "/review?attempt=0"
    assert address_of("/review", {"left": ""}) == "/review"


def test_of_a_list_each_value_is_said_in_order():
    assert pairs({"pin": ["b", "", "a"], "q": "x"}) == [("pin", "b"), ("pin", "a"), ("q", "x")]
    assert address_of("/", {"pin": ["b", "a"]}) == "/?pin=b&pin=a"


def test_a_value_cannot_leave_its_place():
    assert address_of("/review", {"left": "run:a/b c&d#e"}) == "/review?left=run:a%2Fb%20c%26d%23e"
    assert extended("/logs?attempt=0", "line", "1&2") == "/logs?attempt=0&line=1%262"


def test_an_address_is_begun_whether_or_not_something_is_asked_already():
    assert extended("/logs", "line") == "/logs?line="
    assert extended("/logs?attempt=0", "line") == "/logs?attempt=0&line="
