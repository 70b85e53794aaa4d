def test_points_are_stored_and_counted(job, stored):
    answer = job.post("metrics", points=[{"key": "loss", "step": 1, "value": 0.5, "ts": "2026-01-01T00:00:00Z"}])
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1), answer.text
    assert [type(event).__name__ for event in stored()] == ["SeriesOpened", "MetricsReported"]
