"""Who may talk to the labelling page: this machine, with the token, from the page itself.

A local server is open to every page that a browser shows and to every program on the machine. Three things keep them
out: the random token in the address; the Host header, which is a foreign one when another site's name has been pointed
at this machine; and the Origin header, which tells that a request comes from another page.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Most bytes of a request: decisions are small.
MAX_BODY = 1 << 20

#: The page loads nothing but its own files, and no other page may frame it or learn its address.
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuses what does not come from the page itself.

    Parameters
    ----------
    app : ASGI application
        What is guarded; it sees paths without the token.
    token : str
        First part of every path.
    port : int
        Where the server listens.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app = app
        self.token = token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with an error, or hand the request on.

        Parameters
        ----------
        scope, receive, send : object
            As ASGI has them.
        """
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = refuse(scope, self.token, self.hosts, self.origins)
        if refusal is not None:
            status, reason = refusal
            await PlainTextResponse(reason + "\n", status)(scope, receive, send)
            return
        path = scope["path"].removeprefix(f"/{self.token}")
        if not path:  # what the page loads lies beside it
            await RedirectResponse(f"/{self.token}/")(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self.app({**scope, "path": path, "raw_path": path.encode()}, receive, send_guarded)


def refuse(scope: Scope, token: str, hosts: Collection[str], origins: Collection[str]) -> tuple[int, str] | None:
    """Tell why a request is refused.

    Parameters
    ----------
    scope : ASGI scope
        Of an HTTP request.
    token : str
        First part of every path.
    hosts, origins : collection of str
        What the headers may say.

    Returns
    -------
    (int, str) or None
        Status and reason; None where the request is welcome.
    """
    headers = Headers(scope=scope)
    if headers.get("host") not in hosts:
        return 421, "This server answers at 127.0.0.1 only."
    first, _, _ = scope["path"].removeprefix("/").partition("/")
    if not secrets.compare_digest(first.encode(), token.encode()):
        return 404, "The address is wrong or out of date: take the one that `textprep label` shows."
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return 403, "Requests from other pages are refused."
    if headers.get("origin", next(iter(origins))) not in origins:
        return 403, "Requests from other origins are refused."
    if scope["method"] not in ("GET", "HEAD"):
        if "origin" not in headers:
            return 403, "A request that changes something must tell its origin."
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "A request that changes something must be JSON."
        length = headers.get("content-length", "")
        if not length.isdigit():
            return 411, "A request that changes something must tell its length."
        if int(length) > MAX_BODY:
            return 413, "The request is too large."
    return None
