"""Why there was no answer, in one line: what the libraries raise, in the words that people are told."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Iterator

from urllib3.exceptions import ProtocolError, ProxyError

from .answers import Unreached
from .bodies import BrokenBody
from .connecting import CONNECT_S


def unconnected(name: str, error: OSError) -> Unreached:
    """Why it came to no connection."""
    if isinstance(error, socket.gaierror):
        if error.errno == socket.EAI_AGAIN:
            return Unreached(f"{name}: cannot be looked up: is there a network?", is_host=True)
        return Unreached(f"{name}: host not found", is_final=True, is_host=True)
    if isinstance(error, TimeoutError):
        return Unreached(f"{name}: takes no connection within {CONNECT_S:.0f} s", is_host=True)
    if isinstance(error, ConnectionRefusedError):
        return Unreached(f"{name}: refuses the connection", is_host=True)
    return Unreached(f"{name}: cannot be reached: {_plain(error.strerror or str(error))}", is_host=True)


def unreached(name: str, error: BaseException) -> Unreached:
    """Why there was no whole answer over a connection."""
    causes = list(_causes(error))
    for kind, reason in _REASONS:
        for cause in causes:
            if isinstance(cause, kind):
                if isinstance(cause, ssl.SSLCertVerificationError):
                    said = _plain(cause.verify_message)
                    return Unreached(f"{name}: {reason}: {said}", is_final=True, is_host=True)
                said = {
                    BrokenBody: str(cause),
                    ssl.SSLError: getattr(cause, "reason", None) or "",
                    ProxyError: _plain(str(causes[-1]).removeprefix("Tunnel connection failed: ")),
                }.get(kind, "")
                return Unreached(f"{name}: {reason}{': ' if reason and said else ''}{said}")
    failed = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
    return Unreached(
        f"{name}: {f'the connection failed: {failed[-1]}' if failed else 'its answer is broken'}"
    )


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (BrokenBody, ""),
    (ProxyError, "the proxy does not let it through"),
    (ssl.SSLCertVerificationError, "its TLS certificate does not hold"),
    (http.client.IncompleteRead, "ended in the middle of its answer"),
    (http.client.RemoteDisconnected, "ended the connection without an answer"),
    (ConnectionError, "ended the connection"),
    (TimeoutError, "does not answer"),
    (ssl.SSLError, "no TLS connection"),
    (http.client.HTTPException, "answers with something that is not HTTP"),
    (ProtocolError, "ended in the middle of its answer"),
)
"""The first that is among the causes of a failure."""


def is_late(error: BaseException) -> bool:
    """Whether a failure is that nothing came in time."""
    return any(isinstance(cause, TimeoutError) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that led to it, however the libraries tied them together; the first one last."""
    seen: list[BaseException] = []
    todo = [error]
    while todo:
        cause = todo.pop(0)
        if cause not in seen:
            seen.append(cause)
            more = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
            todo += [each for each in more if isinstance(each, BaseException)]
    yield from seen


def _plain(text: str) -> str:
    """Words of another program as part of a line of ours."""
    return re.sub(r"[^ -~]+", " ", text).strip()[:120]
