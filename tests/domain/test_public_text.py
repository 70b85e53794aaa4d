"""What strangers read of a configuration."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.rules.public_text import NOT_SHOWN, public_text, public_value

KEY = "q9Zt" * 10


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lr", "1e-05"),
        ("model", "Qwen/Qwen2.5-Math-7B-Instruct"),
        ("max_new_tokens", "512"),
        ("generation.max_tokens", "1024"),
        ("num_nodes", "4"),
        ("node_rank", "0"),
        ("tokenizer", "meta-llama/Llama-3.1-8B"),
        ("betas", "[0.9, 0.95]"),
        ("revision", "2b9f1f0c9d0e4b7a8c6d5e4f3a2b1c0d9e8f7a6b"),
        ("optimizer", "adamw_torch_fused"),
        ("resume", "true"),
        ("keyboard", "qwerty"),
        ("precision", "bf16-mixed"),
        ("schedule", "cosine: 0.1 warmup, 3 epochs"),
        ("version", "2.9.1"),
        ("ratio", "1/3"),
        ("empty", ""),
    ],
)
def test_what_shapes_a_training_is_shown_as_it_is(path, text):
    assert public_value(path, text, ["ada", "gpu-node-17"]) == text


@pytest.mark.parametrize(
    "path",
    [
        "api_key", "apiKey", "HF_TOKEN", "wandb.api-key", "db.password", "auth", "nested[0].secret", "jwt",
        "OPENAI_API_KEY", "hostname", "MASTER_ADDR", "master.host", "server_url", "user", "userName", "ray.head_node",
        "cwd", "wandb_entity",
    ],
)  # fmt: skip
def test_a_name_that_tells_of_a_secret_or_a_place_hides_its_value(path):
    assert public_value(path, "some value") == NOT_SHOWN


def test_even_a_number_is_hidden_under_the_name_of_a_secret():
    assert public_value("password", "1234") == NOT_SHOWN
    assert public_value("pin", "1234") == NOT_SHOWN
    assert public_value("port_key", "1234") == "1234"


@pytest.mark.parametrize(
    "secret",
    [
        "tp_pat_0123456789abcdef_" + "A" * 43,
        "tp_ing_0123456789abcdef_" + "A" * 43,
        "tp_shr_0123456789abcdef_" + "A" * 43,
        "hf_" + "a1B2" * 8,
        "sk-proj-" + "a1B2" * 8,
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "a1B2" * 9,
        "glpat-" + "a1B2" * 5,
        "xoxb-1234567890-abcdef",
        "AKIA" + "ABCD1234" * 2,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "Bearer abcdefgh12345678",
        KEY,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END",
    ],
)
def test_what_looks_like_a_secret_is_hidden_wherever_it_stands(secret):
    for text in (secret, f"before {secret}", f'["--x", "{secret}"]', f"a:{secret}"):
        shown = public_value("comment", text)
        assert secret not in shown
        assert secret[-8:] not in shown
        assert NOT_SHOWN in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('[["password", "x1"], ["lr", 0.1]]', f'[["password", "{NOT_SHOWN}"], ["lr", 0.1]]'),
        ("--api-key abc --lr 0.1", f"--api-key {NOT_SHOWN} --lr 0.1"),
        ("--token=abc run", f"--token={NOT_SHOWN} run"),
        (
            '["train.py", "--hf-token", "abc", "--lr", "0.1"]',
            f'["train.py", "--hf-token", "{NOT_SHOWN}", "--lr", "0.1"]',
        ),
        ('{"password": "abc", "lr": 0.1}', f'{{"password": "{NOT_SHOWN}", "lr": 0.1}}'),
        ("HF_TOKEN=abc LR=0.1", f"HF_TOKEN={NOT_SHOWN} LR=0.1"),
        ("--max-tokens 512", "--max-tokens 512"),
        ("MASTER_ADDR=gpu-1", f"MASTER_ADDR={NOT_SHOWN}"),
    ],
)
def test_pairs_within_a_text_are_told_apart(text, shown):
    assert public_text(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/mnt/ada/models/llama-3", "…/llama-3"),
        ("data=/mnt/cluster/x/train.jsonl", "data=…/train.jsonl"),
        ("~/runs/one", "…/one"),
        ("C:\\Users\\ada\\x", "…/x"),
        ("s3://bucket/step_10", f"s3://{NOT_SHOWN}"),
        ("postgres://u:p@db:5432/x", f"postgres://{NOT_SHOWN}"),
        ("http://10.0.0.5:8000/v1 later", f"http://{NOT_SHOWN} later"),
        ("10.0.0.5:29500", NOT_SHOWN),
        ("fe80:0:0:0:1:2:3:4", NOT_SHOWN),
        ("ada@example.org asked", f"{NOT_SHOWN} asked"),
    ],
)
def test_places_are_hidden(text, shown):
    assert public_text(text) == shown


def test_names_of_hosts_and_people_are_hidden_as_whole_words():
    names = ["gpu-node-1", "gpu-node-17", "ada", "0", "7b"]
    assert public_text("GPU-NODE-17 and gpu-node-1", names) == f"{NOT_SHOWN} and {NOT_SHOWN}"
    assert public_text("by Ada, adamw 0 7b", names) == f"by {NOT_SHOWN}, adamw 0 7b"


@given(st.text(max_size=300))
def test_any_text_can_be_shown_and_showing_it_again_changes_nothing(text):
    shown = public_text(text, ["ada"])
    assert public_text(shown, ["ada"]) == shown
    assert re.search(r"\bada\b", shown, re.IGNORECASE) is None


def test_a_long_text_is_looked_through_quickly():
    for part in ("a", "A1", "/a", "--a ", "a=", "1.", "a:", "\\", "-", "eyJ", "://"):
        public_text(part * 20_000)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("db_pass", "opensesame"),
        ("env.PGPASSWORD", "opensesame"),
        ("otp", "123456x"),
        ("wandb", "0123456789abcdef0123456789abcdef01234567"),
        ("machine", "worker-12.internal.corp"),
        ("run_by", "alice"),
    ],
)
def test_more_names_that_give_a_secret_a_host_or_a_person_away(path, text):
    assert public_value(path, text) == NOT_SHOWN
