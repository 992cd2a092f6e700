"""Mentions to authors: who is who, with the reason for every link. Rows in, conclusions out."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ..cff.folding import fold
from .census import Census, census_of
from .decided import Decided, Rename
from .entities import named_alike, of_decided_kinds
from .labels import best_form, count_forms, numbered
from .masks import Masks
from .mentions import AuthorCluster, Candidate, Clustering, Conflict, Link, MentionRow
from .people import People
from .ties import Ties

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NOTHING = Decided()

__all__ = ["AuthorCluster", "Candidate", "Clustering", "Conflict", "Link", "MentionRow", "cluster"]


def cluster(
    mentions: Iterable[MentionRow],
    decided: Decided = NOTHING,
    census: Census | None = None,
    masks: Masks | None = None,
) -> Clustering:
    """Return the authors behind `mentions`, the conflicts among iDs, and the pairs to review.

    The same for the same rows in any order. Every mention is in exactly one author. Persons, entities and
    bots never mix. Two entries of one list are two people unless one iD or every letter says otherwise.
    What was `decided` goes before all of this. `census` has the counts of the whole database and `masks` the
    names that are not to be said, where `mentions` are some blocks of it.
    """
    rows, people, masks = ready(mentions, decided, census, masks)
    clusters = people.run()
    persons, orcids = people.rows, people.orcid
    found: list[_Found] = [
        _Found([persons[i] for i in members], people.named.forms_of(members), links,
               next(filter(None, map(orcids.__getitem__, members)), ""))
        for members, links in zip(clusters, people.links(clusters), strict=True)
    ]  # fmt: skip
    for kind in ("entity", "bot"):
        for members, links in named_alike([r for r in rows if r.kind == kind], decided):
            found.append(_Found(members, count_forms(members), links, ""))
    found.sort(key=lambda f: f.members[0].key)
    renames_of: dict[int, list[int]] = defaultdict(list)
    for number, rename in enumerate(decided.renames):
        for mention in rename.mentions:
            renames_of[mention].append(number)
    labels = []
    for one in found:
        hits = {n for r in one.members for n in renames_of.get(r.id, ())} if renames_of else ()
        labels.append(_label(one.members, one.forms, [decided.renames[n] for n in sorted(hits)]))
    keys = numbered(
        [one.orcid or fold(label.name) or label.name for one, label in zip(found, labels, strict=True)]
    )
    authors = [
        AuthorCluster(
            one.members[0].kind, label.name, one.orcid, label.forms, one.links, key,
            label.is_renamed, label.is_private,
        )
        for one, label, key in zip(found, labels, keys, strict=True)
    ]  # fmt: skip
    authors.sort(key=lambda a: a.key)
    conflicts = sorted(people.conflicts, key=lambda c: (c.code, c.message))
    return masks.over(Clustering(authors, conflicts, people.offered()))


def ready(
    mentions: Iterable[MentionRow],
    decided: Decided,
    census: Census | None = None,
    masks: Masks | None = None,
) -> tuple[list[MentionRow], People, Masks]:
    """Return the rows in order, the persons among them, not clustered yet, and what is not to be said."""
    rows = sorted(mentions, key=attrgetter("key"))
    census = census or census_of(rows)
    if masks is None:
        masks = masks_of(rows, decided.renames)
    rows = of_decided_kinds(rows, decided)
    persons = [r for r in rows if r.kind == "person"]
    entity_orcids = {r.orcid for r in rows if r.kind != "person" and r.orcid}
    entity_orcids |= {r.orcid for r in persons if r.orcid and census.is_of_entity(r.orcid)}
    people = People(persons, entity_orcids, Ties([r.id for r in persons], decided), census)
    return rows, people, masks


def masks_of(rows: Iterable[MentionRow], renames: Iterable[Rename]) -> Masks:
    """Return the names that private renames hide; `rows` has the mentions that these name."""
    private = [r for r in renames if r.is_private]
    by_id = {r.id: r for r in rows} if private else {}
    return Masks(([by_id[m] for m in sorted(r.mentions)], r.name) for r in private)


class _Found(NamedTuple):
    members: list[MentionRow]
    forms: Counter[str]
    links: tuple[Link, ...]
    orcid: str


class _Label(NamedTuple):
    name: str
    forms: tuple[tuple[str, int], ...]
    is_renamed: bool
    is_private: bool


def _label(members: Sequence[MentionRow], forms: Counter[str], hits: Sequence[Rename]) -> _Label:
    """The name to show and the forms to find an author by: by rule, or as somebody decided."""
    own = {r.id for r in members} if hits else set()
    is_private = any(r.is_private for r in hits)
    # Without a need to hide, a mention that went elsewhere does not take the name along.
    hits = [r for r in hits if r.is_private or 2 * len(own & r.mentions) >= len(r.mentions)]
    name = hits[-1].name if hits else best_form(forms)
    if is_private:
        return _Label(name, ((name, len(members)),), True, True)
    if hits:
        forms.setdefault(name, 0)
    return _Label(name, tuple(sorted(forms.items(), key=lambda f: (-f[1], f[0]))), bool(hits), False)
