"""The labelling page: a Starlette application for one session."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from textprep_ml.exceptions import TextPrepError
from textprep_ml.labelling.exchange import DOWNLOADS
from textprep_ml.labelling.labels import Change, ConflictError
from textprep_ml.labelling.session import LabellingSession

STATIC = Path(__file__).parent / "static"

#: Seconds without a decision after which the file of labels is written; the journal has every decision at once.
_IDLE = 2.0


class Events:
    """What happens, told to every open page.

    Attributes
    ----------
    listeners : set of asyncio.Queue
        One per page.
    """

    def __init__(self) -> None:
        self.listeners: set[asyncio.Queue[str]] = set()

    def tell(self, kind: str, value: Any) -> None:
        """Send an event to every page.

        Parameters
        ----------
        kind : str
            What happened.
        value : object
            Plain JSON values.
        """
        for listener in self.listeners:
            listener.put_nowait(f"event: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n")

    async def listen(self) -> AsyncIterator[str]:
        """Give the events from now on; a comment now and then finds out whether the page is still there.

        Yields
        ------
        str
            As server-sent events have it.
        """
        queue: asyncio.Queue[str] = asyncio.Queue()
        self.listeners.add(queue)
        try:
            yield "retry: 1000\nevent: hello\ndata: {}\n\n"
            while True:
                try:
                    yield await asyncio.wait_for(queue.get(), 15)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.listeners.discard(queue)


class Page:
    """The routes of the page; all run in one thread, so decisions come one after another.

    Parameters
    ----------
    session : LabellingSession
        What is labelled.
    """

    def __init__(self, session: LabellingSession) -> None:
        self.session = session
        self.events = Events()

    def application(self) -> Starlette:
        """Make the application.

        Returns
        -------
        Starlette
            Not guarded.
        """
        routes = [
            Route("/api/overview", self.overview),
            Route("/api/passage", self.passage),
            Route("/api/queue", self.queue),
            Route("/api/explain", self.explain),
            Route("/api/decide", self.decide, methods=["POST"]),
            Route("/api/retrain", self.retrain, methods=["POST"]),
            Route("/api/events", self.listen),
            Route("/api/download/{name}", self.download),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        ending = asyncio.Event()
        saving = asyncio.create_task(self._save_when_idle(ending))
        yield
        ending.set()
        await saving  # what is being written must not come to its end after what `close` writes
        self.session.close()

    async def _save_when_idle(self, ending: asyncio.Event) -> None:
        pause, last = _IDLE, self.session.store.version
        while not ending.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), pause)
            idle = last == self.session.store.version and not ending.is_set()
            if idle and not self.session.is_saved:
                started = time.monotonic()
                write, finish = self.session.save()
                await asyncio.to_thread(write)  # seconds, where documents are large
                finish()
                pause = max(_IDLE, 10 * (time.monotonic() - started))
            last = self.session.store.version

    # Reading

    async def overview(self, request: Request) -> Response:
        """Give documents and state."""
        return JSONResponse(self.session.overview())

    async def passage(self, request: Request) -> Response:
        """Give a passage of a document."""
        number = _number(request, "document", len(self.session.documents))
        index = _number(request, "index", len(self.session.passages[number]) - 1)
        return JSONResponse(self.session.passage(number, index))

    async def queue(self, request: Request) -> Response:
        """Give the next places worth a label."""
        return JSONResponse(self.session.queue(_number(request, "n", 201)))

    async def explain(self, request: Request) -> Response:
        """Give the reasons of the model at a place."""
        number = _number(request, "document", len(self.session.documents))
        end = _number(request, "end", len(self.session.documents[number]["text"]))
        return JSONResponse(self.session.explain(number, end))

    async def listen(self, request: Request) -> Response:
        """Give events until the page goes."""
        return StreamingResponse(self.events.listen(), media_type="text/event-stream")

    async def download(self, request: Request) -> Response:
        """Give the labels as a file."""
        kind = request.path_params["name"]
        if kind not in DOWNLOADS:
            return _problem(404, f"There is no format {kind!r}; there are {', '.join(DOWNLOADS)}.")
        if not self.session.store.n_labels:
            return _problem(409, "There is no label yet.")
        suffix, media_type, make = DOWNLOADS[kind]
        name = self.session.files.labels.name.removesuffix(".jsonl") + suffix
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
        try:
            rows = self.session.collect()
            content = await asyncio.to_thread(lambda: make(rows()))
        except TextPrepError as error:
            return _problem(409, str(error))
        return Response(content, 200, {"content-disposition": f'attachment; filename="{plain}"'}, media_type)

    # Changing

    async def decide(self, request: Request) -> Response:
        """Change labels, if they are what the page believes."""
        try:
            value = await request.json()
            number = value["document"]
            if type(number) is not int or not 0 <= number < len(self.session.documents):
                raise ValueError(f"There is no document {number!r}.")
            changes = [_as_change(change) for change in value["changes"]]
            if not changes:
                raise ValueError("There is no change.")
            self.session.decide(number, changes)
        except ConflictError as error:
            return _problem(409, str(error))
        except (ValueError, KeyError, TypeError) as error:
            return _problem(400, f"No decision: {error}")
        changed = {
            "document": number,
            "changes": [[change.end, change.now] for change in changes],
            "version": self.session.store.version,
            "labels": self.session.store.n_labels,
            "doubtful": self.session.n_doubtful(number),
        }
        self.events.tell("labels", changed)
        return JSONResponse(changed)

    async def retrain(self, request: Request) -> Response:
        """Start training in the background."""
        loop = asyncio.get_running_loop()

        def progress(what: str, share: float) -> None:
            loop.call_soon_threadsafe(self.events.tell, "progress", {"what": what, "share": share})

        def done(finish: Callable[[], None], problem: str) -> None:
            loop.call_soon_threadsafe(self._end_training, finish, problem)

        try:
            self.session.retrain(progress, done)
        except ValueError as error:
            return _problem(409, str(error))
        self.events.tell("progress", {"what": "Reading the labels", "share": 0.0})
        return JSONResponse({"training": True}, 202)

    def _end_training(self, finish: Callable[[], None], problem: str) -> None:
        finish()
        self.events.tell("trained", {"problem": problem, **self.session.status()})


def _as_change(value: Any) -> Change:
    end, was, now = value
    if type(end) is not int or any(label is not None and type(label) is not bool for label in (was, now)):
        raise ValueError(f"a change is [place, old label, new label], got {value!r:.80}.")
    return Change(end, was, now)


def _number(request: Request, name: str, limit: int) -> int:
    value = request.query_params.get(name, "")
    if not value.isdecimal() or not value.isascii() or len(value) > 12 or int(value) >= limit:
        raise HTTPException(400, f"{name} must be a number from 0 to {limit - 1}.")
    return int(value)


def _problem(status: int, message: str) -> Response:
    return JSONResponse({"problem": message}, status)
