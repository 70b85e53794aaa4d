"""The Charts tab without its scripts: addresses, what is drawn large, and what it says of itself."""

import html as markup
import re

from domain.ids import RunId
from tests.console.conftest import point
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE


def addresses(html: str, element: str = "tp-charts") -> dict[str, str]:
    found = re.search(rf"<{element} ([^>]*)>", html)
    assert found is not None
    return {name: markup.unescape(value) for name, value in re.findall(r'([a-z]+)="([^"]*)"', found[1])}


def test_superseded_points_are_offered_where_there_are_attempts_and_none_was_chosen(site, job):
    one = f"/runs/{job.run_id}"
    assert "superseded" not in addresses(site.page(one))
    site.open_attempt(RunId(job.run_id))
    assert addresses(site.page(one))["superseded"] == f"/api/runs/{job.run_id}/series/superseded"
    assert "superseded" not in addresses(site.page(f"{one}?attempt=0"))
    assert addresses(site.page(f"{one}?attempt=0"))["page"] == f"{one}?attempt=0"


def test_a_series_drawn_large_has_its_numbers_on_the_page(site, job):
    job.post("metrics", points=[point("train/loss", n, 2.0 - n) for n in range(3)])
    html = site.page(f"/runs/{job.run_id}?series=train/loss&series=none")
    text = text_of(html)
    assert "No series none was reported" in text
    assert re.search(r"train/loss .*numeric and neutral. 0 2 0 1 2 3 0", text)
    assert addresses(html, "tp-enlarged")["data"] == f"/api/runs/{job.run_id}/series/data"
    assert f"/api/runs/{job.run_id}/series.csv?key=train%2Floss" in html


def test_up_to_eight_are_drawn_over_each_other_and_each_can_be_taken_out(site, job):
    keys = [f"k{n}" for n in range(9)]
    job.post("metrics", points=[point(key) for key in keys])
    asked = f"/runs/{job.run_id}?" + "&".join(f"series={key}" for key in keys)
    html = site.page(asked.removesuffix("&series=k8"))
    assert html.count("<tr data-key=") == 8
    assert "curve-8" in html
    assert "Add a series" not in html
    rest = "&amp;".join(f"series={key}" for key in keys[1:8])
    assert f'href="/runs/{job.run_id}?{rest}"' in html
    assert "at most 8 times" in site.page(asked, 422)


def test_what_is_not_measured_alike_is_said_and_ranked_by_nothing(site, job):
    job.post("metrics", points=[point("rate"), point("loss"), point("other")])
    semantics = {"rate": {"display": "ratio", "unit": "fraction"}, "loss": {"unit": "nats"}}
    job.post("observations", events=[], contract={"version": 1, "semantics": semantics})
    text = text_of(site.page(f"/runs/{job.run_id}?series=rate&series=loss&series=other"))
    assert "not measured alike (fraction, nats, undeclared)" in text
    assert "Which line is higher says nothing" in text
    assert "not measured alike" not in text_of(site.page(f"/runs/{job.run_id}?series=rate"))


def test_facets_and_declarations_stand_beside_the_series(site, job):
    key = "val-core/openai/gsm8k/acc/mean@8"
    job.post("metrics", points=[point(key)])
    semantics = {key: {"direction": "higher", "display": "percent", "unit": "percent"}}
    job.post("observations", events=[], contract={"version": 1, "semantics": semantics})
    text = text_of(site.page(f"/runs/{job.run_id}?series={key}"))
    assert "dataset openai/gsm8k , core, 8 samples." in text.replace("gsm8k,", "gsm8k ,")
    assert "direction: higher" in text


def test_a_past_and_an_attempt_are_kept_by_everything_on_the_page(site, job):
    position = job.post("metrics", points=[point("loss", 0, 1.0)]).json()["position"]
    job.post("metrics", points=[point("loss", 1, 9.0)])
    html = site.page(f"/runs/{job.run_id}?series=loss&as_of={position}&attempt=0")
    assert re.search(r"neutral. 1 0 1 1 1 1 0", text_of(html))
    assert addresses(html, "tp-enlarged")["data"].endswith(f"?attempt=0&as_of={position}")
    assert f'name="as_of" value="{position}"' in html


def test_keys_of_a_job_stay_text(site, job):
    job.post("metrics", points=[point(HOSTILE)])
    html = site.page(f"/runs/{job.run_id}?series=" + HOSTILE.replace("#", "%23").replace("&", "%26"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert HOSTILE not in html
