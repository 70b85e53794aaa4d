"""Templates and their contexts belong together, and nothing in them needs a looser policy than the strictest."""

import ast
import hashlib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from jinja2 import UndefinedError, meta, nodes

from entrypoints.http.console import contexts
from entrypoints.http.console.contexts.page import Page, ProblemPage
from entrypoints.http.console.rendering import CONTENT_SECURITY_POLICY, environment, html
from entrypoints.http.console.static_files import STATIC

FOLDER = Path(inspect.getfile(contexts)).parents[1]
TEMPLATES = sorted(path.name for path in (FOLDER / "templates").glob("*.html"))


def pages() -> list[type[Page]]:
    """Every context that has a template."""
    for module in pkgutil.iter_modules(contexts.__path__):
        importlib.import_module(f"{contexts.__name__}.{module.name}")
    found: list[type[Page]] = []
    waiting: list[type[Page]] = [Page]
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if "template" in vars(one):
            found.append(one)
    return sorted(found, key=lambda one: one.__name__)


def used(name: str) -> set[str]:
    """The variables of a template and of those that it extends and includes."""
    made = environment()
    source = (FOLDER / "templates" / name).read_text()
    tree = made.parse(source)
    variables = set(meta.find_undeclared_variables(tree)) - set(made.globals)
    # Blocks do not see what the template around them imported, as far as the parser is asked.
    imports = list(tree.find_all(nodes.FromImport))
    variables -= {name[1] if isinstance(name, tuple) else name for one in imports for name in one.names}
    macros = {one.template.value for one in imports if isinstance(one.template, nodes.Const)}
    for other in meta.find_referenced_templates(tree):
        assert other is not None
        if other not in macros:
            variables |= used(other)
    return variables


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.__name__)
def test_a_template_uses_every_field_of_its_context_and_nothing_else(page):
    optional = set(Page.__struct_fields__) if "part" in page.template else set()
    assert used(page.template) - set(page.__struct_fields__) == set()
    assert set(page.__struct_fields__) - used(page.template) - optional == set()


def test_every_template_has_a_context_or_is_part_of_another():
    whole = {page.template for page in pages()}
    parts: set[str | None] = set()
    for name in TEMPLATES:
        parts |= set(meta.find_referenced_templates(environment().parse((FOLDER / "templates" / name).read_text())))
    assert set(TEMPLATES) - whole - parts == set()


def silent_fields() -> Iterator[tuple[ast.ClassDef, ast.AnnAssign]]:
    """Fields of contexts that nothing is said of."""
    for path in sorted((FOLDER / "contexts").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                for field, following in zip(node.body, [*node.body[1:], None], strict=True):
                    said = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                    if isinstance(field, ast.AnnAssign) and not said:
                        yield node, field


def test_every_field_of_a_page_says_what_it_is():
    pages_of = [
        (one, field) for one, field in silent_fields() if any("Page" in ast.unparse(base) for base in one.bases)
    ]
    assert [f"{one.name}.{ast.unparse(field.target)}" for one, field in pages_of] == []


def test_every_field_that_may_be_none_says_what_that_means_and_every_time_what_it_is():
    silent = [(one, ast.unparse(field.target), ast.unparse(field.annotation)) for one, field in silent_fields()]
    unsaid = [f"{one.name}.{name}" for one, name, kind in silent if "None" in kind or name.endswith("_at")]
    assert unsaid == []


def test_a_variable_that_no_context_has_is_an_error_and_not_empty():
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody_gave_this }}").render()


def test_everything_is_escaped():
    page = ProblemPage(title="<b>", status=404, detail="<script>&\"'")
    text = html(page).decode()
    assert "<script>&" not in text
    assert "&lt;script&gt;&amp;&#34;&#39;" in text


def test_text_that_utf_8_cannot_hold_is_shown_as_a_replacement():
    assert "x\ufffdy" in html(ProblemPage(title="t", status=404, detail="x\ud800y")).decode()
    assert "\U0001f600" in html(ProblemPage(title="t", status=404, detail="\U0001f600")).decode()


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_template_needs_inline_code_or_another_host(name):
    source = (FOLDER / "templates" / name).read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", source)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|hx-on|hx-vals='?js:", source)
    assert re.findall(r"""(?:src|href|action)=["'](?:https?:)?//""", source) == []
    assert "safe }}" not in source.replace("|safe", "safe")


def test_no_script_or_style_sheet_of_ours_names_another_host_or_makes_code_or_markup_of_text():
    for path in sorted((FOLDER / "static").rglob("*")):
        if path.suffix in {".js", ".css"} and "vendor" not in path.parts:
            source = path.read_text()
            assert (
                re.findall(r"https?://|\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML", source) == []
            ), path


def test_the_policy_allows_nothing_but_this_server():
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'self'; img-src 'self' data:;")
    assert "unsafe" not in CONTENT_SECURITY_POLICY


def test_every_page_carries_the_policy(site):
    for address in ("/", "/login", "/help", "/runs/unknown", "/s/unknown"):
        assert site.get(address).headers.get("content-security-policy", "").startswith("default-src 'self'"), address


def test_vendored_files_are_the_ones_that_were_recorded():
    folder = FOLDER / "static" / "vendor"
    recorded = {one["file"]: one["sha256"] for one in msgspec.json.decode((folder / "VENDORED.json").read_bytes())}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.suffix in {".js", ".css"}
    }
    assert found == recorded


def test_static_files_are_kept_for_ever_under_the_digest_of_them_all(closed):
    address = STATIC.address("js/console.js")
    answer = closed.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert 'import "./times.js"' in answer.text
    assert closed.get("/static/another/js/console.js").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["nothing.js", "../router.py", "vendor/VENDORED.json", "%2e%2e/router.py", ""])
def test_nothing_but_the_static_files_is_served(closed, name):
    assert closed.get(f"/static/x/{name}").status_code == 404
