"""What is told of a change in the code: the quantity it concerns, what is wrong with it, and where; never the code."""

from __future__ import annotations

from typing import Any, NamedTuple

LONGEST_PART = 60

THOUGHTS = {
    "too-large": ("counting", "A number is one too large"),
    "too-small": ("counting", "A number is one too small"),
    "begins-late": ("counting", "The counting begins one too late"),
    "begins-early": ("counting", "The counting begins one too early"),
    "ends-early": ("counting", "The counting ends one too early"),
    "ends-late": ("counting", "The counting ends one too late"),
    "runs-high": ("counting", "All ranks are one too high"),
    "runs-low": ("counting", "All ranks are one too low"),
    "range": ("counting", "The counting begins or ends in the wrong place"),
    "slice": ("cut", "The list is cut in the wrong place"),
    "cut": ("cut", "What has to be cut goes on to its end"),
    "falsy": ("condition", "A 0 counts as if nothing were given"),
    "default": ("default", "Where nothing is given, another number is taken than the task says"),
    "order": ("order", "The order is not the one asked"),
    "unordered": ("order", "A set forgets the order"),
    "alias": ("copy", "This is a second name for what is given, and no copy"),
    "log": ("logarithm", "This is another logarithm than the one asked"),
    "function": ("function", "What is done with these numbers is not what is asked"),
    "operator": ("operation", "Two quantities are joined in the wrong way"),
    "turned": ("turned", "Two quantities stand in each other's place"),
    "comparison": ("comparison", "The comparison draws its line in the wrong place"),
    "added": ("loop", "The variable is replaced where it has to go on from what it was"),
    "assign": ("operation", "The variable changes in the wrong way"),
    "into-loop": ("loop", "This happens once, and every round of the loop needs it"),
    "out-of-loop": ("loop", "This happens in every round, and is asked once"),
    "left-out": ("condition", "What should keep its place with a 0 is left out"),
    "kept": ("condition", "What should be left out keeps its place"),
    "condition": ("condition", "The condition picks the wrong cases"),
    "condition-off": ("condition", "The condition leaves out what counts"),
    "zero": ("guard", "Nothing stops a division by 0"),
    "stop": ("loop", "The loop is left, or goes on, in the wrong case"),
    "number": ("number", "This number is not the one asked"),
    "missing": ("step", "Something is still to be done with this quantity"),
    "too-much": ("extra", "Something is done here that nobody asked for"),
    "name": ("name", "Another quantity belongs here"),
    "line": ("extra", "This line does harm"),
    "sequence": ("loop", "Two lines stand in the wrong order"),
}  # by kind of change, the most telling first: which quantity is concerned, and what is wrong with it


class Change(NamedTuple):
    """A small change: its kind, the line, and what stands there."""

    kind: str
    line: str
    old: str
    places: int = 1
    size: int = 0  # of the code after the change
    span: tuple[Any, Any] = ((), ())  # from where to where the code stood that is changed

    @property
    def concept(self) -> str:
        """The quantity that is concerned."""
        return THOUGHTS[self.kind][0]

    @property
    def words(self) -> str:
        """What is wrong, and where: the line, and in it what is concerned if that is short.

        >>> Change("too-large", "return a + b[2]", "b[2]").words
        'A number is one too large: `b[2]` in the line `return a + b[2]`.'
        """
        part = f"`{self.old}` in" if self.old != self.line and len(self.old) <= LONGEST_PART else "see"
        return f"{THOUGHTS[self.kind][1]}: {part} the line `{self.line}`."

    @property
    def place(self) -> str:
        """Where to look, without a word about what is wrong."""
        return f"Look first at the line `{self.line}`: a change there alone makes all your answers right."

    @property
    def rank(self) -> tuple[int, int]:
        """How little it tells: the kind first, then how long the code is that is right."""
        return list(THOUGHTS).index(self.kind) + len(THOUGHTS) * (self.places > 1), self.size
