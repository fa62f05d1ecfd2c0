"""Where the labelling page is served: a free port and a token, the same ones again after a crash.

The address lies in a file beside the labels that only its owner can read, as long as the server runs. A server that
was killed leaves it behind; the next one takes it over, and pages that are still open go on by themselves.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from textprep_ml.labelling.guard import Guard
from textprep_ml.labelling.server import Page
from textprep_ml.labelling.session import LabellingSession


@dataclass(frozen=True)
class Address:
    """A socket that listens on this machine only, and the token of the page.

    Attributes
    ----------
    listening : socket
        Bound to 127.0.0.1.
    token : str
        First part of every path.
    """

    listening: socket.socket
    token: str

    @property
    def port(self) -> int:
        """Where the socket is bound."""
        return int(self.listening.getsockname()[1])

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"


@contextmanager
def open_address(labels: Path, port: int) -> Iterator[Address]:
    """Take an address for a file of labels; the last one again where it was not given up.

    Parameters
    ----------
    labels : Path
        The file of labels, which no other server works on.
    port : int
        Where to listen; 0 for the last port, else any that is free.

    Yields
    ------
    Address
        Open until the block ends.

    Raises
    ------
    OSError
        If the given port is taken.
    """
    path = labels.with_name(labels.name + ".address")
    last_port, token = _read(path)
    listening = None
    if not port and last_port:
        with suppress(OSError):
            listening = _listen(last_port)
    listening = listening or _listen(port)
    address = Address(listening, token or secrets.token_urlsafe(24))
    _write(path, address)
    try:
        yield address
    finally:
        listening.close()
        path.unlink(missing_ok=True)


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(64)  # until then a second process could bind it too
    except OSError as error:
        listening.close()
        raise OSError(error.errno, error.strerror, f"port {port}") from None
    return listening


def _read(path: Path) -> tuple[int, str]:
    """Give the last port and token; 0 and "" where there are none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        port, token = value["port"], value["token"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""
    valid = type(port) is int and 0 < port < 65536 and isinstance(token, str) and len(token) >= 32
    return (port, token) if valid else (0, "")


def _write(path: Path, address: Address) -> None:
    path.unlink(missing_ok=True)  # an old file may be readable by others
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"port": address.port, "token": address.token}, file)


def serve(session: LabellingSession, address: Address) -> None:
    """Serve the page until the process is told to end.

    Parameters
    ----------
    session : LabellingSession
        What is labelled; it is closed at the end.
    address : Address
        Where.
    """
    app = Guard(Page(session).application(), address.token, address.port)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, server_header=False, lifespan="on"
    )
    uvicorn.Server(config).run(sockets=[address.listening])
