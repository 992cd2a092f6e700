"""Persons: which mentions are one person, found in rounds from the surest to the weakest.

Mentions of one name form nodes; nodes join as the evidence allows: first the same iD, then the same name,
then names written otherwise, last initials. Everything is taken in the order of the mentions' keys, so the
order of the rows does not matter. No step compares all with all: see `blocks`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from .evidence import LINE, NAMESAKES, confidence, name_weight
from .features import Features
from .fits import fit, given_fit
from .groups import Groups
from .labels import shown
from .mentions import Candidate, Conflict, Link, MentionRow
from .names import Name, parse
from .orcids import believed
from .overlap import overlap
from .same_name import MOST_OFFERED, SameName
from .ties import Ties
from .variants import initials, other_spellings
from .written import Signed, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .census import Census


SEVERAL_FIT = "same initials, which fit several people"
"""Said of a name that this database knows to be shared."""


class People:
    """The state of one clustering of persons. `rows` are persons only, in the order of their keys.

    `ties` is what was decided: it goes before everything else.
    """

    def __init__(
        self,
        rows: Sequence[MentionRow],
        entity_orcids: Iterable[str],
        ties: Ties,
        census: Census,
    ) -> None:
        self.rows = rows
        self.census = census
        self._ties = ties
        self.names: list[Name] = []
        self.name_of: list[int] = []
        numbers: dict[tuple[str, str], int] = {}
        for row in rows:
            name = parse(
                row.family_names, row.given_names, row.name_particle, row.name_suffix, row.name or row.alias
            )
            number = numbers.setdefault((name.spoken, name.suffix), len(self.names))
            if number == len(self.names):
                self.names.append(name)
            self.name_of.append(number)
        self.uses = Counter(self.name_of)
        self.others = [census.rarity.others(n) for n in self.names]
        self.alike = [census.rarity.alike(n) for n in self.names]
        self._fits: dict[tuple[int, int], tuple[str, str] | None] = {}
        self.candidates: dict[tuple[int, int], tuple[float, str]] = {}
        self.features = Features(rows, self.name_of, self.names, census)
        self.groups = Groups(self.compatible, self._ties)
        self.mentions: list[list[int]] = []
        """The mentions of each node."""
        self._shareable: dict[int, tuple[int, set[int]]] = {}
        self.nodes_of_name: list[list[int]] = [[] for _ in self.names]
        self.orcid, self._orcid_names, self.conflicts = believed(
            rows, self.name_of, self.names, set(entity_orcids), self._ties
        )
        self._changed = {n for names in self._orcid_names.values() if len(names) > 1 for n in names}
        lists = [row.list_id for row in rows]
        self._same = SameName(lists, self.orcid, self.features, self._ties)
        self.namesakes: set[int] = set()
        """Names of which two people are known."""

    # Names

    def fit(self, a: int, b: int) -> tuple[str, str] | None:
        """How the names of two numbers fit; remembered."""
        key = (a, b) if a < b else (b, a)
        try:
            return self._fits[key]
        except KeyError:
            found = self._fits[key] = fit(self.names[key[0]], self.names[key[1]])
            return found

    def compatible(self, a: int, b: int) -> bool:
        """Whether the names of two numbers may be one person's, changes of name under an iD among them."""
        if self.fit(a, b) is not None:
            return True
        # A change of name: the given names must still agree.
        if a in self._changed or b in self._changed:
            one, two = self.names[a], self.names[b]
            return bool(one.given and two.given and given_fit(one.given, two.given))
        return False

    def fits_several(self, number: int) -> bool:
        """Whether a name is initials that may stand for several full names of this database."""
        name = self.names[number]
        return name.initial and bool(name.family) and self.census.rarity.known(name) > 1

    def _conflict(self, code: str, message: str, mentions: Iterable[int]) -> None:
        self.conflicts.append(Conflict(code, message, tuple(self.rows[i].id for i in sorted(mentions))))

    # Nodes

    def _node(self, mentions: list[int], lists: set[int] | None = None) -> int:
        name = self.name_of[mentions[0]]
        orcid = next((self.orcid[i] for i in mentions if self.orcid[i]), "")
        cell = -1
        for i in mentions:
            cell = self._ties.join(cell, self._ties.cell(i))
        lists = lists or {self.rows[i].list_id for i in mentions}
        node = self.groups.add(name, len(mentions), orcid, lists, cell)
        self.mentions.append(mentions)
        self.nodes_of_name[name].append(node)
        return node

    def shareable(self, root: int) -> set[int]:
        """The numbers of what the mentions of the group of standing node `root` could share; remembered."""
        nodes = self.groups.nodes[root]
        remembered = self._shareable.get(root)
        if remembered is not None and remembered[0] == len(nodes):
            return remembered[1]
        found: set[int] = set()
        for node in nodes:
            known = self._shareable.get(node)
            if known is not None and node != root:
                found |= known[1]
            else:
                for i in self.mentions[node]:
                    found |= self.features.of_mention(i)
        self._shareable[root] = (len(nodes), found)
        return found

    def evidence(self, a: int, b: int) -> tuple[float, str]:
        """(weight, words) of what the groups of two standing nodes share."""
        return self.features.weigh(overlap(self.features, self.shareable(a), self.shareable(b)))

    def against(self, a: int, b: int) -> float:
        """What it says against the groups of two standing nodes that both know so many and share so few."""
        return self.features.against(self.shareable(a), self.shareable(b))

    def shown(self, node: int) -> str:
        """The name of a node's first mention, to show."""
        return shown(self.rows[self.mentions[node][0]])

    def same_names(self) -> None:
        """Make the nodes: one for a name where nothing speaks against it, else one for each of its parts."""
        by_name: list[list[int]] = [[] for _ in self.names]
        for i, number in enumerate(self.name_of):
            by_name[number].append(i)
        signed = Signed(self.names, self.uses)
        orcid_nodes: dict[str, list[int]] = defaultdict(list)
        bare: list[tuple[int, int, str]] = []
        for number, mentions in enumerate(by_name):
            mentions, twins = self._without_twins(mentions)
            orcids = {self.orcid[i] for i in mentions} - {""}
            lists = {self.rows[i].list_id for i in mentions}
            bearers = self._bearers(mentions)
            namesakes = bearers > 1 or len(lists) < len(mentions) - self._doubled(mentions)
            if namesakes:
                self.namesakes.add(number)
            written = self._written(number, signed, namesakes)
            said = written.said
            if len(mentions) == 1:
                parts = [mentions]
                self._same.why[mentions[0]] = (said, 1.0)
            else:
                parts = self._same.parts(mentions, written)
            if bearers > 1:
                told = ", ".join(sorted(orcids)[:4])
                if name_weight(self.others[number]) >= LINE:
                    who = shown(self.rows[mentions[0]])
                    text = f"{who} has {len(orcids)} iDs: {told}; they stay apart until someone decides"
                    self._conflict("orcid-conflict", text, [i for i in mentions if self.orcid[i]])
            of_mention = {}
            for part in parts:
                orcid = next((self.orcid[i] for i in part if self.orcid[i]), "")
                with_orcid = [i for i in part if self.orcid[i]]
                # Under several names the iD joins first,; then the bare mentions if they may.
                apart = len(self._orcid_names.get(orcid, ())) > 1 and len(with_orcid) < len(part)
                nodes = []
                for some in (with_orcid, [i for i in part if not self.orcid[i]]) if apart else (part,):
                    nodes.append(self._node(some))
                    of_mention.update(dict.fromkeys(some, nodes[-1]))
                for each in sorted({self.orcid[i] for i in with_orcid}):
                    orcid_nodes[each].append(nodes[0])
                if apart:
                    bare.append((nodes[0], nodes[1], said))
            for twin, first in twins.items():
                self.mentions[of_mention[first]].append(twin)
                self._same.why[twin] = ("listed twice in one list, to the letter", 1.0)
            if len(parts) > 1 and bearers > 1:
                self._offer_parts(parts)
        for a, b, weight, words in self._same.doubtful:
            self._offer(a, b, weight, words)
        self._join_decided()
        for orcid, nodes in sorted(orcid_nodes.items()):
            for node in nodes[1:]:
                self.groups.join(nodes[0], node, f"same ORCID iD {orcid}", 0.99, forced=True)
        for node, other, said in bare:
            self.groups.join(node, other, said, confidence(LINE))

    def _written(self, number: int, signed: Signed, namesakes: bool) -> Written:
        """What a name says that is written in the very same letters."""
        name, rarity = self.names[number], self.census.rarity
        weight = name_weight(self.alike[number]) + (NAMESAKES if namesakes else 0.0)
        if self.fits_several(number):
            return Written(weight, SEVERAL_FIT, signed.usual(name, rarity.known(name)), namesakes)
        said = "same full name" if name.full else "same name"
        return Written(weight, said, self.census.usual[name.full], namesakes)

    def _join_decided(self) -> None:
        """Join the nodes of mentions that were decided to be one person."""
        if self._ties.musts:
            node_of = {i: n for n, m in enumerate(self.mentions) for i in m}
            for places, reason in self._ties.musts:
                for i in places[1:]:
                    self.groups.join(node_of[places[0]], node_of[i], reason, 1.0, forced=True)

    def _bearers(self, mentions: list[int]) -> int:
        """How many people with an iD these mentions of one name are; iDs decided to be one's count once."""
        cells: dict[str, set[int]] = defaultdict(set)
        for i in mentions:
            if self.orcid[i]:
                cell = self._ties.cell(i)
                cells[self.orcid[i]].add(self._ties.find(cell) if cell >= 0 else -1)
        groups: list[set[int]] = []
        for found in cells.values():
            found = found - {-1}
            one = [g for g in groups if not g.isdisjoint(found)]
            groups = [g for g in groups if g.isdisjoint(found)] + [found.union(*one)]
        return len(groups)

    def _doubled(self, mentions: list[int]) -> int:
        """How many of `mentions` are further entries of one list under one iD."""
        seen = [(self.rows[i].list_id, self.orcid[i]) for i in mentions if self.orcid[i]]
        return len(seen) - len(set(seen))

    def _without_twins(self, mentions: list[int]) -> tuple[list[int], dict[int, int]]:
        """`mentions` without entries repeated in a list to the letter; the repeated ones with their first."""
        lists: dict[int, list[int]] = defaultdict(list)
        for i in mentions:
            lists[self.rows[i].list_id].append(i)
        if len(lists) == len(mentions):
            return mentions, {}
        twins: dict[int, int] = {}
        for several in lists.values():
            first: dict[tuple[str, ...], int] = {}
            for i in several:
                r = self.rows[i]
                letters = (r.family_names, r.given_names, r.name_particle, r.name_suffix, r.name, r.alias,
                           r.orcid, r.email, r.website, r.affiliation)  # fmt: skip
                if letters in first and self._ties.bind(first[letters], i):
                    twins[i] = first[letters]
                    text = f"{shown(r)} stands in one author list twice, to the letter"
                    if not self.orcid[i]:
                        self._conflict("duplicate-author", text, (first[letters], i))
                else:
                    first.setdefault(letters, i)
        return [i for i in mentions if i not in twins], twins

    def _offer_parts(self, parts: list[list[int]]) -> None:
        """Offer parts of a name with several iDs for review: the larger ones, each with the largest."""
        largest, *others = sorted(parts, key=lambda p: (-len(p), p[0]))
        for part in others[:MOST_OFFERED]:
            self._offer(part[0], largest[0], LINE - 0.5, "same full name, told apart by iDs or by lists")

    def offer(self, a: int, b: int, score: float, words: str) -> None:
        """Offer two nodes for review."""
        self._offer(self.mentions[a][0], self.mentions[b][0], score, words)

    def _offer(self, a: int, b: int, score: float, words: str) -> None:
        pair = (a, b) if a < b else (b, a)
        if score > self.candidates.get(pair, (-99.0, ""))[0]:
            self.candidates[pair] = (score, words)

    # What comes out

    def run(self) -> list[list[int]]:
        """Cluster; return the mentions of each person."""
        self.same_names()
        other_spellings(self)
        initials(self)
        found: dict[int, list[int]] = defaultdict(list)
        for node, mentions in enumerate(self.mentions):
            found[self.groups.find(node)] += mentions
        return [sorted(m) for _, m in sorted(found.items())]

    def links(self, mentions: list[int], node_of: dict[int, int]) -> list[Link]:
        """The links of one person's mentions, in order."""
        if len(mentions) == 1:
            return [Link(self.rows[mentions[0]].id, "the only mention", 1.0)]
        links = []
        decided = {reason for _, reason in self._ties.musts}
        for i in mentions:
            reason, sure = self._same.why[i]
            joined = self.groups.why[node_of[i]]
            if joined is not None and joined[0] in decided:
                reason, sure = joined
            if reason in decided:
                links.append(Link(self.rows[i].id, reason, sure))
                continue
            if self.orcid[i]:
                links.append(Link(self.rows[i].id, f"same ORCID iD {self.orcid[i]}", 0.99))
                continue
            if joined is not None:
                reason, sure = joined[0], min(joined[1], sure)
            links.append(Link(self.rows[i].id, reason, sure))
        return links

    def offered(self) -> list[Candidate]:
        """The pairs to review that are still two, best first."""
        node_of = {i: n for n, m in enumerate(self.mentions) for i in m}
        first: dict[int, int] = {}
        for i, node in sorted(node_of.items()):
            first.setdefault(self.groups.find(node), i)
        best: dict[tuple[int, int], tuple[float, str]] = {}
        for (i, j), (score, words) in self.candidates.items():
            a, b = sorted((first[self.groups.find(node_of[i])], first[self.groups.find(node_of[j])]))
            if self.groups.clash(self.groups.find(node_of[a]), self.groups.find(node_of[b])):
                continue
            if a != b and score > best.get((a, b), (-99.0, ""))[0]:
                best[a, b] = (score, words)
        ordered = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
        return [
            Candidate(self.rows[a].id, self.rows[b].id, confidence(s), (w,)) for (a, b), (s, w) in ordered
        ]
