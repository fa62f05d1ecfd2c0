"""The server of the labelling page: what it answers, and whom."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.labelling.conftest import DOCUMENTS
from textprep_ml import SentenceSegmenter
from textprep_ml.labelling.address import open_address
from textprep_ml.labelling.guard import MAX_BODY, Guard
from textprep_ml.labelling.server import Page
from textprep_ml.labelling.session import LabellingSession

TOKEN = "t" * 32
HERE = {"host": "127.0.0.1:8000"}
OURS = {**HERE, "origin": "http://127.0.0.1:8000"}


@pytest.fixture
def client(session: LabellingSession) -> Iterator[TestClient]:
    app = Guard(Page(session).application(), TOKEN, 8000)
    with TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/") as client:
        yield client


def decide(client: TestClient, document: int, *changes: list[Any]) -> Any:
    return client.post("api/decide", json={"document": document, "changes": changes}, headers=OURS)


# Whom it answers


@pytest.mark.parametrize("host", ["evil.example:8000", "127.0.0.1:8001", "127.0.0.1", "[::1]:8000", ""])
def test_other_hosts_are_refused(client: TestClient, host: str) -> None:
    assert client.get("api/overview", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", ["/", "/api/overview", f"/{'u' * 32}/api/overview", f"/{TOKEN[:-1]}/api/overview"])
def test_the_token_is_needed(client: TestClient, path: str) -> None:
    assert client.get(f"http://127.0.0.1:8000{path}", headers=HERE).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({**HERE, "origin": "http://evil.example"}, 403),
        ({**HERE, "origin": "null"}, 403),
        ({**HERE, "origin": "http://127.0.0.1:8001"}, 403),
        ({**HERE, "origin": "https://127.0.0.1:8000"}, 403),
        (HERE, 403),
        ({**OURS, "sec-fetch-site": "cross-site"}, 403),
        ({**OURS, "sec-fetch-site": "same-site"}, 403),
        ({**OURS, "content-type": "text/plain"}, 415),
        ({**OURS, "content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_other_pages_may_not_post(client: TestClient, headers: dict[str, str], status: int) -> None:
    content = json.dumps({"document": 0, "changes": [[10, None, True]]})
    answer = client.post("api/decide", content=content, headers={"content-type": "application/json", **headers})
    assert answer.status_code == status
    assert client.get("api/overview", headers=HERE).json()["labels"] == 0


def test_other_pages_may_not_read_events(client: TestClient) -> None:
    assert client.get("api/events", headers={**HERE, "origin": "http://evil.example"}).status_code == 403
    assert client.get("api/overview", headers={**HERE, "sec-fetch-site": "cross-site"}).status_code == 403


def test_large_requests_are_refused_unread(client: TestClient) -> None:
    headers = {**OURS, "content-type": "application/json", "content-length": str(MAX_BODY + 1)}
    assert client.post("api/decide", content=b"{}", headers=headers).status_code == 413


def test_nothing_is_loaded_from_elsewhere(client: TestClient) -> None:
    answer = client.get("", headers=HERE)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    for name in ("page.js", "page.css", "api.js", "list.js", "render.js", "chart.js"):
        assert client.get(name, headers=HERE).status_code == 200


def test_files_outside_of_the_page_are_not_served(client: TestClient) -> None:
    for path in ("../session.py", "..%2fsession.py", "%2e%2e/session.py", "/etc/passwd"):
        assert client.get(f"http://127.0.0.1:8000/{TOKEN}/{path}", headers=HERE).status_code == 404


def test_the_address_works_without_its_last_slash(client: TestClient) -> None:
    answer = client.get(f"http://127.0.0.1:8000/{TOKEN}", headers=HERE, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, f"/{TOKEN}/")


# What it answers


def test_the_queue_leads_through_the_doubtful_places(client: TestClient) -> None:
    seen = set()
    while rows := client.get("api/queue", params={"n": 1}, headers=HERE).json():
        (row,) = rows
        assert DOCUMENTS[row["document"]]["text"][: row["end"]].endswith(row["left"])
        assert decide(client, row["document"], [row["end"], None, row["is_boundary"]]).status_code == 200
        seen.add((row["document"], row["end"]))
    assert len(seen) == client.get("api/overview", headers=HERE).json()["labels"] > 5


def test_a_passage_shows_what_was_decided(client: TestClient) -> None:
    (row,) = client.get("api/queue", params={"n": 1}, headers=HERE).json()
    place = {"document": row["document"], "index": row["passage"]}
    assert decide(client, row["document"], [row["end"], None, True]).json()["labels"] == 1
    passage = client.get("api/passage", params=place, headers=HERE).json()
    assert [each[4] for each in passage["places"] if each[0] == row["end"]] == [True]
    assert passage["text"] == DOCUMENTS[row["document"]]["text"]


def test_a_label_that_changed_elsewhere_is_a_conflict(client: TestClient) -> None:
    assert decide(client, 0, [10, None, False]).status_code == 200
    answer = decide(client, 0, [10, None, True])
    assert answer.status_code == 409
    assert "changed elsewhere" in answer.json()["problem"]
    assert decide(client, 0, [10, False, True]).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        "no json", "[]", "{}", '{"document": 9, "changes": [[10, null, true]]}', '{"document": 0, "changes": []}',
        '{"document": true, "changes": [[10, null, true]]}', '{"document": 0, "changes": [[10, null, 1]]}',
        '{"document": 0, "changes": [[10.5, null, true]]}', '{"document": 0, "changes": [[9999, null, true]]}',
        '{"document": 0, "changes": [[10, null]]}', '{"document": 0, "changes": 3}',
    ],
)  # fmt: skip
def test_no_decisions_are_refused(client: TestClient, body: str) -> None:
    answer = client.post("api/decide", content=body, headers={**OURS, "content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["problem"].startswith("No decision: ")
    assert client.get("api/overview", headers=HERE).json()["labels"] == 0


@pytest.mark.parametrize(
    "query", ["", "document=9&index=0", "document=0&index=9", "document=-1&index=0", "document=0&index=x"]
)
def test_passages_that_are_not_there_are_refused(client: TestClient, query: str) -> None:
    assert client.get(f"api/passage?{query}", headers=HERE).status_code == 400


def test_reasons_are_given(client: TestClient) -> None:
    (row,) = client.get("api/queue", params={"n": 1}, headers=HERE).json()
    reasons = client.get("api/explain", params={"document": row["document"], "end": row["end"]}, headers=HERE).json()
    assert reasons
    assert all(isinstance(name, str) and weight for name, weight in reasons)
    assert client.get("api/explain", params={"document": 0, "end": 2}, headers=HERE).json() == []


def test_labels_can_be_taken_away(client: TestClient) -> None:
    assert client.get("api/download/jsonl", headers=HERE).status_code == 409
    decide(client, 0, [10, None, False])
    answer = client.get("api/download/jsonl", headers=HERE)
    assert json.loads(answer.text)["labelled"] == [[10, 11]]
    assert answer.headers["content-disposition"] == 'attachment; filename="labels.jsonl"'
    assert client.get("api/download/label-studio", headers=HERE).json()[0]["data"]["id"] == "a"
    assert client.get("api/download/brat", headers=HERE).content.startswith(b"PK")
    assert client.get("api/download/exe", headers=HERE).status_code == 404


def test_the_file_is_written_at_the_end(session: LabellingSession) -> None:
    with TestClient(
        Guard(Page(session).application(), TOKEN, 8000), base_url=f"http://127.0.0.1:8000/{TOKEN}/"
    ) as client:
        decide(client, 0, [10, None, False])
    assert json.loads(session.files.labels.read_text(encoding="utf-8"))["labelled"] == [[10, 11]]
    assert not session.store.journal_path.exists()


# Retraining


def retrain(session: LabellingSession) -> tuple[str, list[tuple[str, float]]]:
    """Retrain and wait; the result is put in place here, as the server does it in its own thread."""
    steps: list[tuple[str, float]] = []
    ended = threading.Event()
    outcome: list[Any] = []

    def done(finish: Any, problem: str) -> None:
        outcome.extend([finish, problem])
        ended.set()

    session.retrain(lambda what, share: steps.append((what, share)), done)
    assert ended.wait(120)
    outcome[0]()
    return outcome[1], steps


def test_retraining_takes_the_labels_in(tmp_path: Path, english: SentenceSegmenter) -> None:
    texts = [f"We saw Kvt. {name} here. It was fine." for name in ("Ada", "Bo", "Cy", "Di")]
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    dev = [{"text": "We met Kvt. Eli there. It ran.", "sentences": [[0, 22], [23, 30]]}]
    session = LabellingSession(documents, english, tmp_path / "labels.jsonl", dev)
    before = session.view.scored[0].probabilities[session.view.scored[0].ends == 11][0]
    from textprep_ml.labelling.labels import Change

    for number in range(3):
        session.decide(number, [Change(11, None, False)])
    problem, steps = retrain(session)
    assert problem == ""
    assert [share for _, share in steps] == sorted(share for _, share in steps)
    after = session.view.scored[0].probabilities[session.view.scored[0].ends == 11][0]
    assert after < before
    assert [point["labels"] for point in session.curve.points] == [0, 3]
    assert not session.training
    # Whoever opens the labels again finds the model and the curve.
    session.close()
    again = LabellingSession(documents, english, tmp_path / "labels.jsonl", dev)
    assert (again.view.scored[0].probabilities == session.view.scored[0].probabilities).all()
    assert again.curve.points == session.curve.points
    assert SentenceSegmenter.load(tmp_path / "labels.model.json").predict(texts).shape == (4,)
    again.close()


def test_there_is_nothing_to_train_on_without_labels(client: TestClient) -> None:
    answer = client.post("api/retrain", json={}, headers=OURS)
    assert answer.status_code == 409
    assert answer.json()["problem"] == "There is no label to train on."


def test_what_goes_wrong_in_training_is_told(session: LabellingSession, monkeypatch: pytest.MonkeyPatch) -> None:
    from textprep_ml.labelling.labels import Change

    session.decide(0, [Change(10, None, False)])
    monkeypatch.setattr("textprep_ml.labelling.session.adapt", lambda base, rows: 1 / 0)
    assert retrain(session)[0] == "division by zero"
    assert not session.training


def test_trees_and_rules_are_refused(tmp_path: Path) -> None:
    from textprep_ml import RuleSegmenter

    with pytest.raises(TypeError, match="tells how sure it is"):
        LabellingSession(DOCUMENTS, RuleSegmenter(), tmp_path / "labels.jsonl")
    with pytest.raises(ValueError, match="needs a linear model"):
        LabellingSession(DOCUMENTS, SentenceSegmenter.load("en-tree"), tmp_path / "labels.jsonl")
    with pytest.raises(ValueError, match="no document"):
        LabellingSession([], SentenceSegmenter.load("en"), tmp_path / "labels.jsonl")


# The address


def test_an_address_is_for_its_owner_and_gone_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.address"
    with open_address(tmp_path / "labels.jsonl", 0) as address:
        assert path.stat().st_mode & 0o777 == 0o600
        assert address.listening.getsockname()[0] == "127.0.0.1"
        assert len(address.token) >= 32
        first = address.url
    assert not path.exists()
    with open_address(tmp_path / "labels.jsonl", 0) as address:
        assert address.token not in first


def test_after_a_crash_the_address_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.address"
    with open_address(tmp_path / "labels.jsonl", 0) as address:
        left, first = path.read_bytes(), address.url
    path.write_bytes(left)
    with open_address(tmp_path / "labels.jsonl", 0) as address:
        assert address.url == first
    for damaged in (b"", b"[]", b'{"port": 0, "token": "x"}', b'{"port": 80, "token": "short"}'):
        path.write_bytes(damaged)
        with open_address(tmp_path / "labels.jsonl", 0) as address:
            assert len(address.token) >= 32


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with open_address(tmp_path / "a.jsonl", 0) as address:
        with pytest.raises(OSError, match="in use") as raised, open_address(tmp_path / "b.jsonl", address.port):
            pass
        assert raised.value.filename == f"port {address.port}"
