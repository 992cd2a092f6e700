from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from cffgraph.cff import agent_words
from cffgraph.cff.agents import Agent, _as_it_means, _as_it_says, interpret
from cffgraph.cff.name_parts import clean, known_name, looks_like_name, split_whole
from hypothesis import given
from hypothesis import strategies as st

ORCID = "0000-0009-9000-1010"


def person(given_names: str = "", family_names: str = "", title: str = "", **others: str) -> Agent:
    fields = {"family-names": family_names, "given-names": given_names}
    return interpret(fields | {key.replace("_", "-"): value for key, value in others.items()}, title=title)


def parts(agent: Agent) -> tuple[str, str, str, str]:
    return agent.given_names, agent.name_particle, agent.family_names, agent.name_suffix


def codes(agent: Agent) -> list[str]:
    return [finding.code for finding in agent.findings]


@pytest.mark.parametrize(
    ("given_names", "family_names", "name"),
    [
        ("", "PyTorch Team", "PyTorch Team"),
        ("TorchVision maintainers and contributors", "", "TorchVision maintainers and contributors"),
        ("Lumen Runtime developers", "", "Lumen Runtime developers"),
        ("", "Fern Development Team", "Fern Development Team"),
        ("Laura", "and John Arnold Foundation", "Laura and John Arnold Foundation"),
        ("National", "Institute of Mental Health", "National Institute of Mental Health"),
        ("Anonymous", "Developer", "Anonymous Developer"),
        ("", "Anonymous", "Anonymous"),
        ("contributors", "", "contributors"),
        ("", "Developers", "Developers"),
        ("The", "Lumen Project", "The Lumen Project"),
        ("The", "Carpentries", "The Carpentries"),
        ("", "the Gammapy team", "the Gammapy team"),
        ("Team", "Lumen", "Lumen Team"),
        ("DIANNA", "Team", "DIANNA Team"),
        ("Lumen", "Contributors", "Lumen Contributors"),
        ("", "Weights and Measures Office", "Weights and Measures Office"),
        ("", "Survey and Mapping Institute", "Survey and Mapping Institute"),
        ("", "Siegmund AG", "Siegmund AG"),
        ("", "Quick, Witt & Sons AG", "Quick, Witt & Sons AG"),
        ("Siegmund", "GmbH", "Siegmund GmbH"),
        ("", "Plumbline e.V.", "Plumbline e.V."),
        ("", "Plumbline B.V.", "Plumbline B.V."),
        ("", "Plumbline S.A.", "Plumbline S.A."),
        ("", "Plumbline, Inc.", "Plumbline, Inc."),
        ("", "ATLAS Collaboration", "ATLAS Collaboration"),
        ("", "Équipe Lumière", "Équipe Lumière"),
        ("", "Universität Musterstadt", "Universität Musterstadt"),
        ("", "Humboldt-Universität zu Musterstadt", "Humboldt-Universität zu Musterstadt"),
        ("", "Команда Люмен", "Команда Люмен"),
        ("", "北京大学", "北京大学"),
        ("", "Friends of Quill", "Friends of Quill"),
        ("", "Max Planck Institute (MPI)", "Max Planck Institute (MPI)"),
        ("", "Google Brain", "Google Brain"),
    ],
)
def test_teams_given_as_persons(given_names: str, family_names: str, name: str) -> None:
    agent = person(given_names, family_names)
    assert (agent.kind, agent.name, parts(agent)) == ("entity", name, ("", "", "", ""))
    assert codes(agent) == ["team-as-person"]
    assert agent.findings[0].severity == "note"
    assert agent.findings[0].key in ("family-names", "given-names")


def test_a_name_equal_to_the_title_is_an_entity() -> None:
    assert person("", "PyTorch", "PyTorch").kind == "entity"
    assert person("pytorch", "", "PyTorch").kind == "entity"
    assert person("PyTorch", "Lightning", "PyTorch Lightning").kind == "entity"
    assert person("Lumen", "Team", "Lumen RT").kind == "entity"
    assert person("", "PyTorch", "Another").kind == "person"


@pytest.mark.parametrize(
    ("given_names", "family_names"),
    [
        ("Jutta", "Teamer"),
        ("Jae", "No"),
        ("No", "On"),
        ("On", "Van"),
        ("Peter", "Group"),
        ("Anna", "Bank"),
        ("J.", "Labs"),
        ("Ada Mae", "Company"),
        ("Peter", "Office"),
        ("Ada", "Church"),
        ("Jutta", "Team"),
        ("Chris", "Null"),
        ("The Anh", "Han"),
        ("Thi Van", "Nguyen"),
        ("Anil", "Nair AG"),
        ("Ana", "Sá"),
        ("Ana", "García López"),
        ("José", "Ortega y Gasset"),
        ("Sara", "LIVSEY"),
        ("sara", "livsey"),
        ("Noor", "Al Rashidi"),
        ("Noor", "al-Rashidi"),
        ("Una", "O’Quill"),
        ("Marie", "Le Bot"),
        ("Jan", "Bot"),
        ("Renée", "Talbot"),
        ("Claude", "Quill"),
        ("Li", "Li Wei"),
        ("", "Maharanita"),
        ("Tindra", ""),
        ("Anna Maria", ""),
        ("अनिल", "शर्मा"),
        ("سلمى", "الهادي"),
        ("דנה", "לוין"),
        ("นภา", "สุขใจ"),
        ("서연", "박"),
        ("", "王小明"),
        ("Ю.", "Петренко"),
        ("[Al]", "Bracket"),
        ("", "van"),
    ],
)
def test_persons_stay_as_they_are(given_names: str, family_names: str) -> None:
    agent = person(given_names, family_names)
    assert agent == Agent("person", family_names, given_names)


def test_an_id_speaks_for_a_person() -> None:
    assert person("Lumen", "Team", orcid=ORCID).kind == "person"
    assert person("Claude", "", orcid=ORCID).kind == "person"
    assert person("", "PyTorch Team", orcid=ORCID).kind == "entity"


@pytest.mark.parametrize(
    ("given_names", "family_names", "read"),
    [
        ("Ludo", "van Holt", ("Ludo", "van", "Holt", "")),
        ("Ludo van", "Holt", ("Ludo", "van", "Holt", "")),
        ("Ada", "de la Quill", ("Ada", "de la", "Quill", "")),
        ("Ahmad bin", "Yusof", ("Ahmad", "bin", "Yusof", "")),
        ("Ahmad", "bin Yusof", ("Ahmad", "bin", "Yusof", "")),
        ("Ada", "dos Santos Quill", ("Ada", "dos", "Santos Quill", "")),
        ("Thomas", "Harlow Jr.", ("Thomas", "", "Harlow", "Jr.")),
        ("Thomas", "Harlow, Jr", ("Thomas", "", "Harlow", "Jr")),
        ("Thomas", "Harlow III", ("Thomas", "", "Harlow", "III")),
        ("Ada", "Quill, PhD", ("Ada", "", "Quill", "PhD")),
        ("Cody", "C Baxter", ("Cody C", "", "Baxter", "")),
    ],
)
def test_moves_that_leave_the_name_as_it_is_said(
    given_names: str, family_names: str, read: tuple[str, ...]
) -> None:
    agent = person(given_names, family_names)
    assert (parts(agent), codes(agent)) == (read, [])


def test_the_particle_stands_once() -> None:
    assert parts(person("Ludo", "Holt", name_particle="van")) == ("Ludo", "van", "Holt", "")
    assert parts(person("Ludo", "van Holt", name_particle="van")) == ("Ludo", "van", "Holt", "")
    assert parts(person("Ludo", "Holt", name_particle="T.")) == ("Ludo T.", "", "Holt", "")


@pytest.mark.parametrize(
    ("given_names", "family_names", "read"),
    [
        ("", "Ada B. Quill", ("Ada B.", "", "Quill", "")),
        ("Ada B. Quill", "", ("Ada B.", "", "Quill", "")),
        ("", "Ada van der Quill", ("Ada", "van der", "Quill", "")),
        ("", "Quill, Ada", ("Ada", "", "Quill", "")),
        ("", "de la Quill, Ada M.", ("Ada M.", "de la", "Quill", "")),
        ("", "Harlow, Thomas, Jr.", ("Thomas", "", "Harlow", "Jr.")),
        ("", "Sara LIVSEY", ("Sara", "", "LIVSEY", "")),
        ("", "LIVSEY Sara", ("Sara", "", "LIVSEY", "")),
        ("", "अनिल शर्मा", ("अनिल", "", "शर्मा", "")),
        ("", "高橋 みなみ", ("みなみ", "", "高橋", "")),
        ("Ada Quill", "Ada Quill", ("Ada", "", "Quill", "")),
        ("Ada B.", "Ada B. Quill", ("Ada B.", "", "Quill", "")),
        ("Thomas Jr.", "Harlow", ("Thomas", "", "Harlow", "Jr.")),
    ],
)
def test_names_that_are_repaired(given_names: str, family_names: str, read: tuple[str, ...]) -> None:
    agent = person(given_names, family_names)
    assert (agent.kind, parts(agent), codes(agent)) == ("person", read, ["name-repaired"])
    assert agent.findings[0].severity == "note"


@pytest.mark.parametrize(
    ("given_names", "family_names", "read"),
    [
        ("Wen", "Talo 0001", {"family_names": "Talo"}),
        ('Robert "Bob"', "Quill", {"given_names": "Robert", "alias": "Bob"}),
        ("Robert 'Bob'", "Quill", {"given_names": "Robert", "alias": "Bob"}),
        ("Robert (Bob)", "Quill", {"given_names": "Robert", "alias": "Bob"}),
        ("Ada", "Quill (editor)", {"family_names": "Quill", "alias": ""}),
        ("Ada", "Quill*", {"family_names": "Quill"}),
        ("Ada", "Quill,", {"family_names": "Quill"}),
        ("Dr. Ada", "Quill", {"given_names": "Ada"}),
        ("Ada", "Quill <Ada@Quill.example>", {"family_names": "Quill", "email": "ada@quill.example"}),
        ("Ada", "Quill (ada@quill.example)", {"family_names": "Quill", "email": "ada@quill.example"}),
        ("", "ada@quill.example", {"family_names": "", "alias": "ada", "email": "ada@quill.example"}),
        (
            "Ada",
            "Quill https://quill.example/a",
            {"family_names": "Quill", "website": "https://quill.example/a"},
        ),
        ("Ada", f"Quill https://orcid.org/{ORCID}", {"family_names": "Quill", "orcid": ORCID}),
        ("@adaq", "", {"given_names": "", "alias": "adaq"}),
        ("Ada (@adaq)", "Quill", {"given_names": "Ada", "alias": "adaq"}),
        ("adaq27", "", {"given_names": "", "alias": "adaq27"}),
        ("Bo", "Ring\x07er", {"family_names": "Ringer"}),
        ("Jos\u00c3\u00a9", "Quill", {"given_names": "José"}),
        ("Ada", "Stojanovi{\\'c}", {"family_names": "Stojanović"}),
        ("Ada", "Stojanovi{\x0b{c}}", {"family_names": "Stojanovič"}),
        ("Ada", "Qu\ufffdill", {"family_names": "Quill"}),
    ],
)
def test_what_is_no_part_of_a_name(given_names: str, family_names: str, read: dict[str, str]) -> None:
    agent = person(given_names, family_names)
    assert agent.kind == "person"
    assert {key: getattr(agent, key) for key in read} == read
    assert set(codes(agent)) == {"bad-character"}


def test_several_people_in_one_entry_are_kept_and_named() -> None:
    agent = person("", "Ada Quill and Bo Ring")
    assert (agent.kind, agent.family_names, codes(agent)) == (
        "person",
        "Ada Quill and Bo Ring",
        ["name-repaired"],
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"family-names": "", "given-names": " "},
        {"affiliation": "Northern Institute"},
        {"family-names": "-", "given-names": "."},
        {"family-names": "<your family names>", "given-names": "<your given names>"},
        {"family-names": "Last Name", "given-names": "First Name"},
        {"family-names": "null", "given-names": "null"},
        {"family-names": "~"},
        {"family-names": "et al."},
        {"family-names": "al.", "given-names": "et"},
        {"name": "et al."},
        {"name": "and others"},
        {"name": "<name>"},
        {"alias": " "},
        {"family-names": "\u200b"},
    ],
)
def test_nobody(fields: dict[str, str]) -> None:
    agent = interpret(fields)
    names = (*parts(agent), agent.name, agent.alias)
    assert (agent.kind, set(names), codes(agent)) == ("person", {""}, ["empty-name"])
    assert agent.findings[0].severity == "warning"


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"name": "Jiri Borovec"}, ("Jiri", "", "Borovec", "")),
        ({"name": "Jiri Borovec", "orcid": ORCID}, ("Jiri", "", "Borovec", "")),
        ({"name": "Doe, Jane"}, ("Jane", "", "Doe", "")),
        ({"name": "Dr. Jane Quill"}, ("Jane", "", "Quill", "")),
        ({"name": "Tarik Q. Okonjo"}, ("Tarik Q.", "", "Okonjo", "")),
        ({"name": "Ludo van der Holt"}, ("Ludo", "van der", "Holt", "")),
        ({"name": "Luca Di Liello"}, ("Luca", "", "Di Liello", "")),
        ({"name": "Mary Quill III"}, ("Mary", "", "Quill", "III")),
        ({"name": "Baptiste ZLOCH"}, ("Baptiste", "", "ZLOCH", "")),
        ({"name": "Zhang Shunting"}, ("Shunting", "", "Zhang", "")),
        ({"name": "Moira Tresk"}, ("Moira", "", "Tresk", "")),
        ({"name": "MoiraX Tresk", "orcid": ORCID}, ("MoiraX", "", "Tresk", "")),
        ({"name": "Jan Bot"}, ("Jan", "", "Bot", "")),
        ({"name": "Martin", "orcid": ORCID}, ("", "", "Martin", "")),
    ],
)
def test_persons_given_as_entities(fields: dict[str, str], read: tuple[str, ...]) -> None:
    agent = interpret(fields)
    assert (agent.kind, agent.name, parts(agent)) == ("person", "", read)
    assert "person-as-entity" in codes(agent)


@pytest.mark.parametrize(
    "name",
    [
        "PyTorch",
        "CERN",
        "Google Brain",
        "Hugging Face",
        "Stability AI",
        "Red Hat",
        "Jane Street",
        "Deutsche Telekom",
        "Northern Lights",
        "Quick, Witt & Sons AG",
        "Preferred Networks, Inc.",
        "Survey and Mapping Institute",
        "The SunPy Community",
        "John Innes Centre",
        "Almende B.V. and Contributors",
        "Lumen Bank",
        "Martin",
        "luzpaz",
        "ada quill",
        "user27182",
        "王小明",
        "The {curly_braces} Collective",
    ],
)
def test_entities_stay_entities(name: str) -> None:
    assert interpret({"name": name}) == Agent("entity", name=name)


def test_an_entity_named_like_its_work_stays_one() -> None:
    assert interpret({"name": "Ada Quill"}, title="Ada Quill").kind == "entity"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"name": "dependabot[bot]"}, "dependabot[bot]"),
        ({"family-names": "[bot]", "given-names": "dependabot"}, "dependabot [bot]"),
        ({"given-names": "Copilot", "alias": "Copilot"}, "Copilot"),
        ({"family-names": "Copilot", "given-names": "GitHub"}, "GitHub Copilot"),
        ({"name": "renovate-bot"}, "renovate-bot"),
        ({"name": "PyTorchBot"}, "PyTorchBot"),
        ({"name": "PyTorch Bot"}, "PyTorch Bot"),
        ({"given-names": "github-actions"}, "github-actions"),
        ({"alias": "pre-commit-ci"}, "pre-commit-ci"),
        ({"given-names": "Claude"}, "Claude"),
    ],
)
def test_bots(fields: dict[str, str], name: str) -> None:
    agent = interpret(fields)
    assert (agent.kind, agent.name, codes(agent)) == ("bot", name, ["bot"])
    assert agent.alias == fields.get("alias", "")


def test_an_alias_alone_names_its_bearer() -> None:
    assert interpret({"alias": "@adaq"}) == Agent("person", alias="adaq")
    assert interpret({"alias": "Plumbline Inc."}).kind == "entity"


def test_details_are_cleaned() -> None:
    agent = person(
        "Ada",
        "Quill",
        orcid=f"orcid.org/{ORCID}/",
        email="mailto:Ada@Quill.Example",
        website="HTTPS://Quill.example/",
        affiliation=" Harbour\u00a0 Lab ",
        alias="@adaq",
    )
    assert agent.orcid == ORCID
    assert agent.email == "ada@quill.example"
    assert agent.website == "https://quill.example"
    assert agent.affiliation == "Harbour Lab"
    assert agent.alias == "adaq"
    assert agent.findings == ()


def test_a_wrong_id_is_left_out_and_named() -> None:
    agent = person("Ada", "Quill", orcid="https://orcid.org/0000-0009-9000-1011")
    assert agent.orcid == ""
    assert [(f.code, f.severity, f.key) for f in agent.findings] == [("bad-orcid", "note", "orcid")]
    assert "should end in 0" in agent.findings[0].message


def test_an_id_given_as_website_counts() -> None:
    assert person("Ada", "Quill", website=f"https://orcid.org/{ORCID}").orcid == ORCID


def test_blanks_and_invisible_characters_are_neither_names_nor_faults() -> None:
    agent = person("A.\u00a0M.", "Van\u2003Steen\u200b")
    assert agent == Agent("person", "Van Steen", "A. M.")
    assert person("Jose\u0301", "Quill") == Agent("person", "Quill", "José")


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("Ada", ("", "", "Ada", "")),
        ("van Holt", ("", "van", "Holt", "")),
        ("José Ortega y Gasset", ("José", "", "Ortega y Gasset", "")),
        ("Ada von und zu Quill", ("Ada", "von und zu", "Quill", "")),
        ("Quill, Jr., Thomas", ("Thomas", "", "Quill", "Jr.")),
        ("ADA QUILL", ("ADA", "", "QUILL", "")),
        ("Ada van der QUILL", ("Ada", "van der", "QUILL", "")),
        ("박 서연", ("서연", "", "박", "")),
    ],
)
def test_whole_names(text: str, split: tuple[str, ...]) -> None:
    assert split_whole(text) == split


def test_known_names_and_shapes() -> None:
    assert known_name("Олександр Петренко")
    assert not known_name("")
    assert looks_like_name("J.-P. d'Quill")
    assert not looks_like_name("")


TEXTS = st.text(max_size=30) | st.text(
    alphabet=st.sampled_from("AaBb .,-'\"()<>@[]{}\\&vanbotJrIé王박ш\u0301\u200b\x07\x0b0159"), max_size=30
)
KEYS = [
    "family-names",
    "given-names",
    "name-particle",
    "name-suffix",
    "name",
    "alias",
    "email",
    "orcid",
    "website",
]


@given(st.dictionaries(st.sampled_from(KEYS), TEXTS), TEXTS)
def test_any_entry_means_somebody(fields: dict[str, str], title: str) -> None:
    agent = interpret(fields, title=title)
    names = (
        agent.family_names,
        agent.given_names,
        agent.name_particle,
        agent.name_suffix,
        agent.name,
        agent.alias,
    )
    for name in names:
        assert name == " ".join(unicodedata.normalize("NFC", name).split())
        assert not any(unicodedata.category(c) == "Cc" for c in name)
    assert any((agent.family_names, agent.given_names, agent.name, agent.alias)) != (
        "empty-name" in codes(agent)
    )
    assert (agent.kind == "person") == (not agent.name)


@pytest.mark.parametrize("text", ["Â\x1f¡", "Â\u200b¡", "JosÃ\x07©"])
def test_halves_of_a_letter_find_each_other(text: str) -> None:
    assert clean(text)[0] in ("¡", "José")


@given(TEXTS)
def test_clean_text_is_clean(text: str) -> None:
    once, _ = clean(text)
    assert clean(once)[0] == once or "\\" in once or "{" in once


TABLES = "TEAM MAYBE_TEAM ORGANISATION ANONYMOUS ROLE NOTHING".split()
PHRASES = sorted(
    set().union(*(getattr(agent_words, f"{table}_WORDS") for table in TABLES))
    | agent_words.BOT_NAMES
    | agent_words.OTHERS
    | agent_words.PARTICLES
    | agent_words.PLACEHOLDERS
    | set("Jr. Sr Jnr Snr II III IV VI VII VIII 2nd PhD PHD MD MSc Esq Dr Prof Professor Mr Mrs Ms".split())
    | set("gGmbH GmbH mbH Inc Ltd LLC LLP PLC Pty Corp KGaA OHG SARL Oyj AG SA Bot A B. M.D. J.-P.".split())
    | {"Ph D", "& Co", "and Co", "Pty Ltd", "Dr Ing", "Ada Quill", "Jiri", "Borovec"}
)
"""Every word and phrase that decides of a name, by itself or with others."""


def cases(text: str) -> set[str]:
    return {text, text.title(), text.upper()}


def with_phrase(phrase: str) -> Iterator[tuple[str, str]]:
    """Yield (given names, family names) that hold the phrase: beside other words, and split at each blank."""
    for shown in cases(phrase):
        yield from (("Moira", shown), (shown, "Tresk"), ("International", shown), ("Anonymous", shown))
        yield from (("Moira", f"Tresk {shown}"), ("Moira", f"Tresk-{shown}"), ("Moira", f"{shown} Tresk"))
        yield from ((f"Moira {shown}", "Tresk"), (f"{shown} Moira", "Tresk"))
        words = shown.split()
        yield from ((" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words)))


@pytest.mark.parametrize("orcid", ["", f"https://orcid.org/{ORCID}"])
def test_the_short_way_and_the_long_way_read_the_same(orcid: str) -> None:
    wrong, short_ways = [], 0
    for phrase in PHRASES:
        for given_names, family_names in with_phrase(phrase):
            fields = {"given-names": given_names, "family-names": family_names, "orcid": orcid}
            for title in ("", f"{given_names} {family_names}"):
                short = _as_it_says(fields, title)
                short_ways += short is not None
                if short not in (None, _as_it_means(fields, title)):
                    wrong.append((fields, title))
    assert wrong == []
    assert short_ways > len(PHRASES)  # most of these words are names as well


@pytest.mark.parametrize(
    ("given_names", "family_names", "title"),
    [
        ("Moira", "van Tresk", "Moira van Tresk"),
        ("moira", "Tresk", ""),
        ("Moira", "Tresk", "moira tresk"),
        ("Moira", "Moira", ""),
        ("Travis", "CI", ""),
    ],
)
def test_what_goes_the_long_way(given_names: str, family_names: str, title: str) -> None:
    assert _as_it_says({"given-names": given_names, "family-names": family_names}, title) is None
