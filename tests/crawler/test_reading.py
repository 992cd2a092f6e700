from __future__ import annotations

import pytest
from cffgraph.cff.read import blob_id
from cffgraph.crawler import reading
from cffgraph.crawler.reading import Reader, read_rows


def files(count: int) -> dict[str, bytes]:
    text = "cff-version: 1.2.0\nmessage: m\ntitle: T{}\nauthors:\n- family-names: Pröbe\n"
    contents = [text.format(n).encode() for n in range(count)]
    contents += [b"", b"title: [", b"\xff\xfe"]
    return {blob_id(content): content for content in contents}


@pytest.mark.parametrize("few", [1_000, 0])
def test_the_same_here_and_in_other_processes(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(reading, "FEW", few)
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    reader, contents = Reader(), files(60)
    try:
        parts = [reader.start(contents), reader.start({}), reader.start(contents)]
        wanted = dict(zip(contents, read_rows(list(contents.values())), strict=True))
        assert [part.result() for part in parts] == [wanted, {}, wanted]
        assert all(part.is_ready() for part in parts)
    finally:
        reader.close()


def test_a_process_that_is_killed_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FEW", 0)
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    reader, contents = Reader(), files(60)
    try:
        wanted = reader.start(contents).result()
        killed = [reader._processes.get() for _ in range(2)]
        for process in killed:
            assert process is not None
            process.kill()
            reader._processes.put(process)
        assert reader.start(contents).result() == wanted
        assert reader.start(contents).result() == wanted
    finally:
        reader.close()
