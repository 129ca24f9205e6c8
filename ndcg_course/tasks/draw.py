"""Draws that are the same for the same text, in every version of Python and numpy, and in the browser."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws from a text. It is SHA-256 in counter mode, because random and numpy may change theirs.

    >>> draw = Draw("an id")
    >>> [draw.integer(0, 3) for _ in range(8)]
    [2, 2, 1, 3, 2, 1, 2, 1]
    """

    def __init__(self, *seed: object) -> None:
        self._seed = "\x1f".join(map(str, seed)).encode()
        self._used = 0

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included, each equally likely."""
        span = high - low + 1
        if span < 1:
            raise ValueError(f"there is no whole number from {low} to {high}: swap them")
        limit = 2**64 - 2**64 % span
        while (bits := self._next()) >= limit:
            pass
        return low + bits % span

    def choice(self, values: Sequence[T]) -> T:
        """One of the values.

        >>> Draw(1).choice("abc")
        'b'
        """
        return values[self.integer(0, len(values) - 1)]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """The values in another order.

        >>> Draw(1).shuffled([1, 2, 3, 4])
        [2, 4, 3, 1]
        """
        rest = list(values)
        for i in range(len(rest) - 1, 0, -1):
            j = self.integer(0, i)
            rest[i], rest[j] = rest[j], rest[i]
        return rest

    def sample(self, values: Sequence[T], n: int) -> list[T]:
        """`n` different places of the values, in drawn order.

        >>> Draw(1).sample("abcdef", 2)
        ['c', 'f']
        """
        return self.shuffled(values)[:n]

    def choices(self, values: Sequence[T], n: int) -> list[T]:
        """`n` of the values, each of which may come again.

        >>> Draw(1).choices("ab", 4)
        ['a', 'a', 'a', 'b']
        """
        return [self.choice(values) for _ in range(n)]

    def fractions(self, n: int, top: int = 3) -> list[float]:
        """`n` grades from 0 to `top` in steps of a quarter.

        >>> Draw(1).fractions(3)
        [3.0, 1.0, 2.75]
        """
        return [quarters / 4 for quarters in self.grades(n, 4 * top)]

    def grades(self, n: int, top: int = 3) -> list[int]:
        """`n` whole grades from 0 to `top`.

        >>> Draw(1).grades(5)
        [0, 0, 0, 1, 1]
        """
        return [self.integer(0, top) for _ in range(n)]

    def _next(self) -> int:
        self._used += 1
        return int.from_bytes(hashlib.sha256(self._seed + b"\x1e%d" % self._used).digest()[:8], "big")


def tidy_id(student_id: object) -> str:
    """The id without differences that nobody sees: spaces around it, capital letters.

    >>> tidy_id("  Ana Müller ")
    'ana müller'
    """
    import unicodedata

    if isinstance(student_id, bool) or not isinstance(student_id, (str, int)):
        raise ValueError(f"the student id is {student_id!r}: it is a text in quotes, such as 'demo'")
    tidy = " ".join(unicodedata.normalize("NFC", str(student_id)).casefold().split())
    if not tidy or len(tidy) > 200:
        raise ValueError("the student id is empty or too long: it is a text in quotes, such as 'demo'")
    return tidy
