from __future__ import annotations

import socket
from collections.abc import Sequence

import pytest
from cffgraph.crawler.addresses import AddressRefused, addresses, is_public, refuse_literal, resolve
from cffgraph.crawler.hosts import Host, Hosts

PUBLIC = "192.0.43.8 8.8.8.8 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::".split()
NOT_PUBLIC = """
0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.9 169.254.169.254 172.16.0.1 172.31.255.255
192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1
255.255.255.255 :: ::1 ::7f00:1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:0:0 64:ff9b::7f00:1
64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001:db8::1 2002:7f00:1:: 2002:a00:1:: fc00::1 fd12:3456::1
fe80::1 fe80::1%eth0 fec0::1 ff02::1 127.1 0x7f.1 2130706433 0177.0.0.1 localhost x
""".split()


@pytest.mark.parametrize(("number", "public"), [(n, True) for n in PUBLIC] + [(n, False) for n in NOT_PUBLIC])
def test_which_addresses_are_public(number: str, public: bool) -> None:
    assert is_public(number) is public


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "LOCALHOST.",
        "db.localhost",
        "127.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "::ffff:7f00:1",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "10.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "8.8.2056",  # public, but nobody writes it so
        "0",
    ],
)
def test_written_addresses_are_refused_without_a_look_up(name: str) -> None:
    with pytest.raises(AddressRefused, match=r"--allow-host|odd form"):
        refuse_literal(name, Hosts(), 443)

    def never(name: str, port: int) -> Sequence[str]:
        raise AssertionError

    with pytest.raises(AddressRefused):
        addresses(name, 443, Hosts(), never)


@pytest.mark.parametrize(
    "name", ["git.example", "8.8.8.8", "[2001:4860:4860::8888]", "1password.example", "x1.y2"]
)
def test_other_names_are_not(name: str) -> None:
    refuse_literal(name, Hosts(), 443)


@pytest.mark.parametrize(
    ("numbers", "refused"),
    [
        (["8.8.8.8"], ""),
        (["2001:4860:4860::8888", "8.8.8.8"], ""),
        (["127.0.0.1"], "git.example leads to 127.0.0.1"),
        (["8.8.8.8", "169.254.169.254"], "leads to 169.254.169.254"),
        (["::ffff:10.0.0.1"], "leads to ::ffff:10.0.0.1"),
        (["fe80::1%eth0"], "leads to fe80"),
    ],
)
def test_what_a_name_stands_for_is_looked_at(numbers: list[str], refused: str) -> None:
    asked: list[tuple[str, int]] = []

    def answer(name: str, port: int) -> list[str]:
        asked.append((name, port))
        return numbers

    if refused:
        with pytest.raises(AddressRefused, match=refused):
            addresses("git.example", 8443, Hosts(), answer)
    else:
        assert addresses("git.example", 8443, Hosts(), answer) == numbers
    assert addresses("git.example", 8443, Hosts(allowed=["git.example"]), answer) == numbers
    assert asked == [("git.example", 8443)] * 2


def test_a_described_host_opens_its_own_port_alone() -> None:
    hosts = Hosts([Host("git.house.example", allow_private=True), Host("127.0.0.1:3000", allow_private=True)])
    inside = ["10.0.0.5"]
    assert addresses("git.house.example", 443, hosts, lambda *_: inside) == inside
    with pytest.raises(AddressRefused):
        addresses("git.house.example", 6379, hosts, lambda *_: inside)
    refuse_literal("127.0.0.1", hosts, 3000)
    with pytest.raises(AddressRefused):
        refuse_literal("127.0.0.1", hosts, 3001)


def test_this_machine_by_its_own_name() -> None:
    numbers = addresses("localhost", 80, Hosts(allowed=["localhost"]))
    assert set(numbers) <= {"127.0.0.1", "::1"}
    assert numbers


@pytest.mark.parametrize("name", ["a" * 64, "no.such.name.invalid", "\udcff"])
def test_a_name_that_is_nobodys(name: str) -> None:
    with pytest.raises(socket.gaierror):
        resolve(name, 443)
