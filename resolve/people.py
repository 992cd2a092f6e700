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
from .groups import Groups
from .known import Common, Known
from .labels import shown
from .mentions import Candidate, Conflict, Link, MentionRow
from .named import Named
from .orcids import believed
from .same_name import MOST_OFFERED, Part, SameName
from .ties import Ties
from .variants import initials, other_spellings
from .written import Signed, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
        self.named = Named(rows)
        self.names, self.name_of = self.named.names, self.named.number_of
        self.uses = Counter(self.name_of)
        self.others = [census.rarity.others(n) for n in self.names]
        self.alike = [census.rarity.alike(n, o) for n, o in zip(self.names, self.others, strict=True)]
        self.candidates: dict[tuple[int, int], tuple[float, str]] = {}
        self._list_of = [row.list_id for row in rows]
        self.features = Features(rows, self._list_of, self.name_of, self.names, census)
        self.groups = Groups(self.named.compatible, self._ties)
        self.mentions: list[list[int]] = []
        """The mentions of each node."""
        self._known: dict[int, tuple[int, Known]] = {}
        self.nodes_of_name: list[list[int]] = [[] for _ in self.names]
        self.orcid, self._orcid_names, self.conflicts = believed(
            rows, self.name_of, self.names, set(entity_orcids), self._ties
        )
        self.named.changed = {n for names in self._orcid_names.values() if len(names) > 1 for n in names}
        self._same = SameName(self._list_of, self.orcid, self.features, self._ties)
        self.node_of: list[int] = []
        """The node of each mention, once all are made."""
        self.namesakes: set[int] = set()
        """Names of which two people are known."""

    # Names

    def fits_several(self, number: int) -> bool:
        """Whether a name is initials that may stand for several full names of this database."""
        name = self.names[number]
        return name.initial and bool(name.family) and self.census.rarity.known(name) > 1

    def _conflict(self, code: str, message: str, mentions: Iterable[int]) -> None:
        self.conflicts.append(Conflict(code, message, tuple(self.rows[i].id for i in sorted(mentions))))

    # Nodes

    def _node(self, mentions: list[int], known: Known | None = None) -> int:
        orcid = next(filter(None, map(self.orcid.__getitem__, mentions)), "")
        lists = set(map(self._list_of.__getitem__, mentions))
        name = self.name_of[mentions[0]]
        node = self.groups.add(name, len(mentions), orcid, lists, self._ties.joined(mentions))
        self.mentions.append(mentions)
        self.nodes_of_name[name].append(node)
        if known is not None:
            self._known[node] = (1, known)
        return node

    def known(self, root: int) -> Known:
        """Return what the mentions of the group of standing node `root` know; remembered."""
        nodes = self.groups.nodes[root]
        count, found = self._known.get(root, (0, None))
        if found is None or count < len(nodes):
            # A group grows at the end of its nodes; what joined it may know more nodes than itself.
            others = [self._own(node) for node in nodes[count:]]
            found = others[0] if len(nodes) == 1 else Known.joined([found, *others] if found else others)
            self._known[root] = (len(nodes), found)
        return found

    def _own(self, node: int) -> Known:
        """What a node knows, and perhaps others of its group that joined it earlier."""
        remembered = self._known.get(node)
        return self.features.of(self.mentions[node]) if remembered is None else remembered[1]

    def common(self, a: int, b: int) -> Common:
        """Return what the groups of two standing nodes know both."""
        return self.known(a).both(self.known(b))

    def against(self, a: int, b: int) -> float:
        """Return what it says against the groups of two standing nodes that both know so many and share so
        few."""
        return self.features.against(self.known(a), self.known(b))

    def shown(self, node: int) -> str:
        """The name of a node's first mention, to show."""
        return self.named.shown(self.mentions[node][0])

    def same_names(self) -> None:
        """Make the nodes: one for a name where nothing speaks against it, else one for each of its parts."""
        by_name: list[list[int]] = [[] for _ in self.names]
        for i, number in enumerate(self.name_of):
            by_name[number].append(i)
        signed = Signed(self.names, self.uses)
        of_orcid: dict[str, list[int]] = defaultdict(list)
        bare: list[tuple[int, int, str]] = []
        for number, mentions in enumerate(by_name):
            count = len(mentions)
            twins: dict[int, int] = {}
            is_shared = False
            orcids = set(map(self.orcid.__getitem__, mentions)) - {""}
            bearers = len(orcids)
            if count > 1:
                lists = len(set(map(self._list_of.__getitem__, mentions)))
                if lists < count:
                    mentions, twins = self._without_twins(mentions)
                    is_shared = lists < len(mentions) - self._doubled(mentions)
                if bearers > 1:
                    bearers = self._bearers(mentions)
                is_shared = is_shared or bearers > 1
            if is_shared:
                self.namesakes.add(number)
            written = self._written(number, signed, is_shared)
            if len(mentions) == 1:
                parts = [Part(mentions)]
                self._same.why[mentions[0]] = (written.said, 1.0)
            else:
                parts = self._same.parts(mentions, written)
            if bearers > 1:
                self._bearers_apart(number, mentions, parts, orcids, written.said)
            for part in parts:
                nodes = self._nodes_of_part(part, of_orcid) if orcids else [self._node(*part)]
                if len(nodes) > 1:
                    bare.append((nodes[0], nodes[1], written.said))
            self._add_twins(number, twins)
        for a, b, weight, words in self._same.doubtful:
            self._offer(a, b, weight, words)
        self._join_decided()
        for orcid, nodes in sorted(of_orcid.items()):
            for node in nodes[1:]:
                self.groups.join(nodes[0], node, f"same ORCID iD {orcid}", 0.99, forced=True)
        for node, other, said in bare:
            self.groups.join(node, other, said, confidence(LINE))
        self.node_of = [0] * len(self.rows)
        for node, mentions in enumerate(self.mentions):
            for i in mentions:
                self.node_of[i] = node

    def _nodes_of_part(self, part: Part, of_orcid: dict[str, list[int]]) -> list[int]:
        """Make the nodes of a part: one, or those with an iD and the others; note them under their iDs."""
        mentions = part.mentions
        with_orcid = [i for i in mentions if self.orcid[i]]
        if not with_orcid:
            return [self._node(*part)]
        # Under several names the iD joins first, then the bare mentions if they may.
        several = len(self._orcid_names[self.orcid[with_orcid[0]]]) > 1
        if several and len(with_orcid) < len(mentions):
            nodes = [self._node(with_orcid), self._node([i for i in mentions if not self.orcid[i]])]
        else:
            nodes = [self._node(*part)]
        for orcid in {self.orcid[i] for i in with_orcid}:
            of_orcid[orcid].append(nodes[0])
        return nodes

    def _add_twins(self, number: int, twins: dict[int, int]) -> None:
        """Give the entries repeated in a list to the nodes of their firsts, nodes of the name `number`."""
        if twins:
            node_of = {i: node for node in self.nodes_of_name[number] for i in self.mentions[node]}
            for twin, first in twins.items():
                self.mentions[node_of[first]].append(twin)
                self._same.why[twin] = ("listed twice in one list, to the letter", 1.0)

    def _bearers_apart(
        self, number: int, mentions: list[int], parts: Sequence[Part], orcids: set[str], said: str
    ) -> None:
        """Say that a rare name has several iDs, and offer its parts."""
        if name_weight(self.others[number]) >= LINE:
            told = ", ".join(sorted(orcids)[:4])
            who = self.named.shown(mentions[0])
            text = f"{who} has {len(orcids)} iDs: {told}; they stay apart until someone decides"
            self._conflict("orcid-conflict", text, [i for i in mentions if self.orcid[i]])
        if len(parts) > 1:
            self._offer_parts([part.mentions for part in parts], said)

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
            node_of = {i: node for node, mentions in enumerate(self.mentions) for i in mentions}
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

    def _offer_parts(self, parts: list[list[int]], said: str) -> None:
        """Offer parts of a name with several iDs for review: the larger ones, each with the largest."""
        largest, *others = sorted(parts, key=lambda p: (-len(p), p[0]))
        for part in others[:MOST_OFFERED]:
            self._offer(part[0], largest[0], LINE - 0.5, f"{said}, told apart by iDs or by lists")

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
        return [sorted(found[node]) for node in sorted(found)]

    def links(self, people: Iterable[list[int]]) -> Iterator[tuple[Link, ...]]:
        """Yield the links of each person, in the order of their mentions."""
        decided = {reason for _, reason in self._ties.musts}
        same, joins, node_of, orcids = self._same.why, self.groups.why, self.node_of, self.orcid
        ids = [row.id for row in self.rows]
        for mentions in people:
            if len(mentions) == 1:
                yield (Link(ids[mentions[0]], "the only mention", 1.0),)
                continue
            links = []
            for i in mentions:
                reason, sure = same[i]
                joined = joins[node_of[i]]
                if decided and joined is not None and joined[0] in decided:
                    reason, sure = joined
                elif decided and reason in decided:
                    pass
                elif orcids[i]:
                    reason, sure = f"same ORCID iD {orcids[i]}", 0.99
                elif joined is not None:
                    reason, sure = joined[0], min(joined[1], sure)
                links.append(Link(ids[i], reason, sure))
            yield tuple(links)

    def offered(self) -> list[Candidate]:
        """The pairs to review that are still two, best first."""
        find, node_of = self.groups.find, self.node_of
        concerned = {find(node_of[i]) for pair in self.candidates for i in pair}
        first = {group: min(self.mentions[n][0] for n in self.groups.nodes[group]) for group in concerned}
        best: dict[tuple[int, int], tuple[float, str]] = {}
        for (i, j), (score, words) in self.candidates.items():
            one, two = find(node_of[i]), find(node_of[j])
            if self.groups.clash(one, two) or not self.groups.names_fit(one, two):
                continue  # it was decided, or what joined each of them since has settled it
            a, b = sorted((first[one], first[two]))
            if a != b and score > best.get((a, b), (-99.0, ""))[0]:
                best[a, b] = (score, words)
        ordered = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
        return [
            Candidate(self.rows[a].id, self.rows[b].id, confidence(s), (w,)) for (a, b), (s, w) in ordered
        ]
