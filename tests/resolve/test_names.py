"""Names as words, and which of them fit each other."""

import pytest
from cffgraph.resolve.fits import fit, short_form
from cffgraph.resolve.names import Name, one_edit, parse, soften
from hypothesis import given
from hypothesis import strategies as st

SAME = [
    # Every row: spellings of one name that parse to the same words as one says them.
    [
        ("Holt", "Ludo", "van"),
        ("van Holt", "Ludo"),
        ("Holt", "Ludo van"),
        ("Ludo van Holt",),
        ("Van  Holt", "Ludo"),
    ],
    [("al Rashidi", "Noor"), ("Al Rashidi", "Noor"), ("al-Rashidi", "Noor"), ("Rashidi", "Noor", "al")],
    [("bin Yusof", "Ahmad"), ("Bin Yusof", "Ahmad"), ("Yusof", "Ahmad bin"), ("Yusof", "Ahmad", "bin")],
    [("Quill", "A. B."), ("Quill", "A.B."), ("Quill", "AB"), ("Quill", "A B"), ("QUILL", "A.-B.")],
    [("Castelli", "Filippo Maria"), ("Maria Castelli", "Filippo")],
    [("Colomés", "Núria"), ("Colome\u0301s", "Nu\u0301ria"), ("Colomes", "NURIA"), ("COLOMÉS", "Núria")],
    [("O'Darrow", "Fiona"), ("O’Darrow", "Fiona"), ("Oʼdarrow", "Fiona")],
    [
        ("Reyes-Castell", "Pilar"),
        ("Reyes\u2010Castell", "Pilar"),
        ("Reyes Castell", "Pilar"),
        ("Reyes\u2013Castell", "Pilar"),
    ],
    [("Van Steen", "A. M."), ("Van\u00a0Steen", "A.\u2009M."), ("van Steen", "A.M.")],
    [("Strauß", "Jörg"), ("Strauss", "Jörg")],
    [("Łukaszek", "Bjørn"), ("Lukaszek", "Bjorn")],
    [
        ("Harlow", "Thomas", "", "Jr."),
        ("Harlow Jr.", "Thomas"),
        ("Harlow, Jr", "Thomas"),
        ("Harlow Jr., Thomas",),
    ],
    [("Talo 0001", "Wen"), ("Talo", "Wen"), ("Wen Talo 0001",)],
    [("Schloss", "Patrick D"), ("D Schloss", "Patrick"), ("Schloss", "Patrick D.")],
    [("Maharanita",), ("", "Maharanita"), ("", "", "", "", "Maharanita")],
    [("Quill, Ada",), ("Quill", "Ada"), ("Ada Quill",), ("Quill", "Dr. Ada"), ("Quill PhD", "Ada")],
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda s: str(s[0]))
def test_spellings_of_one_name_are_one_value(spellings: list[tuple[str, ...]]) -> None:
    names = [parse(*s) for s in spellings]
    assert {(n.spoken, n.suffix) for n in names} == {(names[0].spoken, names[0].suffix)}
    assert names[0].spoken


FITS = [
    (("Quill", "A. B."), ("Quill", "Ada Beatrix"), ("same", "initial")),
    (("Quill", "Ada"), ("Quill", "Ada B."), ("same", "middle")),
    (("Quill", "Ada"), ("Quill", "Ada Beatrix"), ("same", "second")),
    (("Kim", "Ji-hoon"), ("Kim", "Jihoon"), ("same", "same")),
    (("Kim", "J.-H."), ("Kim", "Ji-hoon"), ("same", "initial")),
    (("Köhler", "Ute"), ("Koehler", "Ute"), ("umlaut", "same")),
    (("Märquez Prieto", "Ana"), ("Märquez", "Ana"), ("part", "same")),
    (("Castelli", "F. M."), ("Maria Castelli", "Filippo"), ("part", "initial")),
    (("Sørheim", "Søren"), ("Srheim", "Sren"), ("lossy", "same")),
    (("Yusof", "Ahmad"), ("bin Yusof", "Ahmad"), ("particle", "same")),
    (("Ferranti", "Lia"), ("Feranti", "Lia"), ("typo", "same")),
    (("Quill", "Mike"), ("Quill", "Michael"), ("same", "nick")),
    (("Dreyer", "Lennart"), ("Lennart", "Dreyer"), ("swap", "same")),
    (("Pont", "Jean"), ("Pont", "Jean-Pierre"), ("same", "half")),
    (("Stone", "J. Robert"), ("Stone", "Robert"), ("same", "skip")),
    (("Иванова", "Ольга"), ("Ivanova", "Olga"), ("same", "script")),
    (("Quill", "Chr."), ("Quill", "Christian"), ("same", "initial")),
    (("Quill", ""), ("Quill", "Ada"), ("same", "missing")),
]


@pytest.mark.parametrize(("a", "b", "grades"), FITS, ids=str)
def test_names_that_fit(a: tuple[str, ...], b: tuple[str, ...], grades: tuple[str, str]) -> None:
    assert fit(parse(*a), parse(*b)) == grades
    assert fit(parse(*b), parse(*a)) == grades


CONFLICTS = [
    (("Doer", "John"), ("Doer", "Jack")),
    (("Cheng", "Yang"), ("Cheng", "Yan")),
    (("Cheng", "Yan"), ("Cheng", "Yu")),
    (("Quill", "Ed"), ("Quill", "Eric Dan")),
    (("Quill", "John A."), ("Quill", "John B.")),
    (("Holm", "Ulf"), ("Holmberg", "Ulf")),
    (("Forst", "Ina"), ("Ruz", "Ina")),
    (("Wong", "Kam-Fai"), ("Wong", "Fai")),
    (("Harlow", "Thomas", "", "III"), ("Harlow", "Thomas", "", "IV")),
    (("王", "伟"), ("王", "威")),
    (("Bauer", "Uwe"), ("Baur", "Uwe")),
]


@pytest.mark.parametrize(("a", "b"), CONFLICTS, ids=str)
def test_names_that_conflict(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    assert fit(parse(*a), parse(*b)) is None
    assert fit(parse(*b), parse(*a)) is None


def test_scripts_keep_their_words() -> None:
    names = [
        parse("王", "伟"),
        parse("김", "민준"),
        parse("ไทย", "สมชาย"),
        parse("محمد", "علي"),
        parse("Иванова", "О."),
    ]
    assert all(n.family and n.given and n.spoken for n in names)
    assert len({n.spoken for n in names}) == len(names)
    assert [n.initial for n in names] == [False, False, False, False, True]


def test_nothing_is_a_name_without_words() -> None:
    for empty in (parse(""), parse(" ", "\u200b"), parse("...", "-"), parse(",", "")):
        assert (empty.given, empty.family) == ((), ())


@pytest.mark.parametrize(
    ("short", "long", "is_short"),
    [("mike", "michael", True), ("kate", "kathy", True), ("jan", "jana", False)],
)
def test_short_forms(short: str, long: str, is_short: bool) -> None:
    assert short_form(short, long) is is_short
    assert short_form(long, short) is is_short


text = st.text(alphabet="abAB .-,'éøß王Ж\u0301\u200b0", max_size=12)


@given(text, text, text, text)
def test_any_text_is_a_name(family: str, given: str, particle: str, suffix: str) -> None:
    name = parse(family, given, particle, suffix)
    assert isinstance(name, Name)
    assert fit(name, name) == ("same", "same")


@given(text, text, text, text)
def test_fitting_is_mutual(a: str, b: str, c: str, d: str) -> None:
    one, two = parse(a, b), parse(c, d)
    assert (fit(one, two) is None) is (fit(two, one) is None)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_edit_is_mutual(a: str, b: str) -> None:
    assert one_edit(a, b) is one_edit(b, a)


def test_softening_spares_a_real_ue() -> None:
    assert [soften(w) for w in ("mueller", "bauer", "quentin", "goethe")] == [
        "muller",
        "bauer",
        "quentin",
        "gothe",
    ]
