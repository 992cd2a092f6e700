"""Which addresses a crawl may speak to: public ones, unless the user allowed a host by name.

A list of repositories comes from anywhere, and a name in it may lead to a machine behind the user's
own firewall. So the addresses that a name stands for are looked at, and the connection is made to the
very address that was looked at (a name may stand for another one a moment later).
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..cff.errors import SourceError
from .hosts import Hosts

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host name and port -> addresses, best first. Raises `socket.gaierror` when nothing has this name."""

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_INSIDE = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
"""An IPv4 address in the last 32 bits: NAT64 (RFC 6052, section 2.1), and a form long out of use
(RFC 4291, section 2.5.5.1)."""

_GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
"""All that is given out of IPv6 (IANA, "IPv6 Global Unicast Address Assignments")."""

_ODD = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}", re.IGNORECASE)
"""What `inet_aton` takes for an address: `2130706433`, `0x7f.1`, `0177.0.0.1`."""


class AddressRefused(SourceError):
    """An address that a crawl does not speak to unless the user says so."""


def resolve(name: str, port: int) -> list[str]:
    """The addresses of a name, as this machine knows them. Raises `socket.gaierror`."""
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, "no name") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def addresses(name: str, port: int, hosts: Hosts, resolve: Resolve = resolve) -> list[str]:
    """The addresses to connect to for a host name, best first, none of them refused.

    Raises AddressRefused when one is private or the name is an odd form of an address, and
    `socket.gaierror` when nothing has this name.
    """
    refuse_literal(name, hosts, port)
    numbers = list(resolve(name.strip("[]"), port))
    if not hosts.is_allowed(name, port):
        for number in numbers:
            if not is_public(number):
                raise AddressRefused(
                    f"{name} leads to {number}, which is no public address:"
                    f" if it is yours, say --allow-host {name}"
                )
    return numbers


def refuse_literal(name: str, hosts: Hosts, port: int | None = None) -> None:
    """Raise AddressRefused for a host that is written as an address and may not be spoken to. No look-up."""
    if hosts.is_allowed(name, port):
        return
    bare = name.strip("[]").rstrip(".").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        raise AddressRefused(f"{name} is this machine: if that is meant, say --allow-host {name}")
    address = _parse(bare)
    if address is None and _ODD.fullmatch(bare):
        raise AddressRefused(f"{name} is an address in an odd form: write it as a name or as a.b.c.d")
    if address is not None and not is_public(bare):
        raise AddressRefused(f"{name} is no public address: if it is yours, say --allow-host {name}")


def is_public(number: str) -> bool:
    """Whether an address, as text, is one of the open network, also inside an IPv6 address.

    >>> [is_public(n) for n in ("192.0.43.8", "10.1.2.3", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe")]
    [True, False, False, False]
    """
    address = _parse(number)
    if address is None:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return False
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if any(address in network for network in _INSIDE):
            inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inside is None:
            return address in _GIVEN_OUT and address.is_global
        address = inside
    return address.is_global and not address.is_multicast and not address.is_reserved


def _parse(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
