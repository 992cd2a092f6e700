"""The names that mentions write, each with a number, and how those of two numbers fit."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from .digest import name_of_row
from .fits import fit, given_fit
from .labels import shown
from .mentions import MentionRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .names import Name

_fields = itemgetter(
    *map(
        MentionRow._fields.index,
        ("family_names", "given_names", "name_particle", "name_suffix", "name", "alias"),
    )
)
"""Of a row, what writes the name."""


class Named:
    """The names of persons' mentions: names that are said alike have one number, whatever their cut."""

    def __init__(self, rows: Iterable[MentionRow]) -> None:
        self.names: list[Name] = []
        """The names by their numbers, each as its first mention cuts it."""
        self.forms: list[str] = []
        """How they are shown, one for each way to fill the fields."""
        self.form_of: list[int] = []
        """For each mention, the form."""
        forms: dict[tuple[Any, ...], int] = {}
        numbers: dict[tuple[str, str], int] = {}
        name_of_form: list[int] = []
        for row in rows:
            fields = _fields(row)
            form = forms.get(fields)
            if form is None:
                form = forms[fields] = len(forms)
                name = name_of_row(row)
                number = numbers.setdefault((name.spoken, name.suffix), len(self.names))
                if number == len(self.names):
                    self.names.append(name)
                name_of_form.append(number)
                self.forms.append(shown(row))
            self.form_of.append(form)
        self.number_of = [name_of_form[form] for form in self.form_of]
        """For each mention, the number of its name."""
        self.changed: set[int] = set()
        """Names that stand under one iD with others: people change names."""
        self._fits: dict[tuple[int, int], tuple[str, str] | None] = {}

    def shown(self, mention: int) -> str:
        """Return the name of a mention, to show."""
        return self.forms[self.form_of[mention]]

    def forms_of(self, mentions: Iterable[int]) -> Counter[str]:
        """Return the forms in which these mentions show a name, with their counts."""
        found = Counter[str]()
        for form, count in Counter(map(self.form_of.__getitem__, mentions)).items():
            found[self.forms[form]] += count
        return found

    def letters(self, number: int) -> int:
        """Return how much a name says: its letters."""
        name = self.names[number]
        return sum(map(len, name.given)) + sum(map(len, name.family))

    def fit(self, a: int, b: int) -> tuple[str, str] | None:
        """Return how the names of two numbers fit; remembered."""
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
        if a in self.changed or b in self.changed:
            one, two = self.names[a], self.names[b]
            return bool(one.given and two.given and given_fit(one.given, two.given))
        return False

    def several(self, numbers: Sequence[int]) -> bool:
        """Whether two of these names (the first thirty of them) cannot be one another."""
        numbers = numbers[:30]
        return any(self.fit(a, b) is None for i, a in enumerate(numbers) for b in numbers[:i])
