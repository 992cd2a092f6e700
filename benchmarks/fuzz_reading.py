"""Coverage-guided fuzzing of the reader: python benchmarks/fuzz_reading.py read|annotated|long [OPTION]...

Needs `pip install atheris` and cffgraph installed. `read` and `annotated` take bytes as they come;
`long` repeats a short text up to 256 KiB, which finds what grows faster than the file. Any exception,
any problem outside the file, any run over a second and any growth over 200 MB is a finding: libFuzzer
writes the input to `crash-*`, and it becomes a test in `tests/cff/`. New inputs are kept in the
folders that are named; options are libFuzzer's: `-max_total_time=300` ends a run.
"""

import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["cffgraph.cff"]):
    from cffgraph.cff import annotated
    from cffgraph.cff.formats.document import as_document
    from cffgraph.cff.keys import ALL_KEYS, NEAR_MISSES
    from cffgraph.cff.problems import CODES
    from cffgraph.cff.read import read
    from cffgraph.cff.write import write

MAX_SECONDS = 1.0
LONG = 1 << 18
SEEDS = Path(__file__).parents[1] / "tests" / "data"
MARKS = [
    "- ",
    ": ",
    "\n",
    "\n  ",
    " #",
    "|\n",
    ">\n",
    "{{",
    "}}",
    "<<: ",
    "*a",
    "&a ",
    "---\n",
    "\ufeff",
    "\0",
]
MARKS += ["\t", "https://orcid.org/0000-0009-9000-0210", "10.5555/", "2024-05-06", "van ", "Team", "et al."]
MARKS += ["1*da0073e9S", '<a class="l" name="1" href="#1">1</a>', '<span class="blame">', "</pre>"]


def try_read(data: bytes) -> None:
    file = read(data)
    rows = data.count(b"\n") + data.count(b"\r") + data.count(b"\n\0") + 1
    for problem in file.problems:
        assert problem.code in CODES, problem
        assert 1 <= problem.line <= rows, problem
        assert problem.column >= 1, problem
    assert (file.outcome == "error") == (not file.works)
    if file.works:
        as_document(file)
        if file.works[0].title and file.works[0].authors:
            write(file)


def try_annotated(data: bytes) -> None:
    text = data.decode("utf-8", "ignore")
    found = annotated.extract(text)
    if found is not None and found.origin.lines:
        assert len(found.origin.lines) == found.text.count("\n")


def try_long(data: bytes) -> None:
    head, _, body = data.rpartition(b"\0")
    repeated = head + body * (LONG // max(1, len(body)))
    read(repeated)
    annotated.extract(repeated.decode("utf-8", "ignore"))


TARGETS = {"read": try_read, "annotated": try_annotated, "long": try_long}


def main() -> None:
    attempt = TARGETS[sys.argv.pop(1)]

    def timed(data: bytes) -> None:
        start = time.process_time()
        attempt(data)
        took = time.process_time() - start
        assert took < MAX_SECONDS, f"{took:.2f} s for {len(data)} bytes"

    words = [*sorted(ALL_KEYS | NEAR_MISSES.keys()), *MARKS]
    with tempfile.NamedTemporaryFile("w", suffix=".dict", delete=False) as dictionary:
        for word in words:
            escaped = "".join(f"\\x{byte:02X}" for byte in word.encode())
            dictionary.write(f'"{escaped}"\n')
    given = sys.argv[1:]
    # libFuzzer writes what it finds into the first folder: never into the tests' data.
    own = [] if any(not option.startswith("-") for option in given) else [tempfile.mkdtemp()]
    options = [f"-dict={dictionary.name}", "-rss_limit_mb=400", "-timeout=20", *given, *own, str(SEEDS)]
    atheris.Setup([sys.argv[0], *options], timed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
