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

    def measured(self, n: int, high: int = 450) -> list[float]:
        """`n` grades off every grid, as a mean of judges has them; in every second length one of them is large.

        >>> Draw(1).measured(1), Draw(1).measured(2)
        ([1.265481], [1.265481, 429])
        """
        grades: list[float] = [self.integer(1, 4_000_000) / 1e6 for _ in range(n)]
        if n % 2 == 0 and n:
            grades[self.integer(0, n - 1)] = self.integer(2 * high // 3 + 1, high)
        return grades

    def scores(self, n: int) -> list[float]:
        """`n` different scores, up to 20, off every grid: below 0, large, and some that are very near to each other.

        >>> Draw(1).scores(3)
        [-0.39997, 0.25, 0]
        """
        near = [x + step for x in (-3.7, -0.4, 0.5, 2.7) for step in (0.00002, 0.00003)]
        return self.sample(
            [*(round(x, 5) for x in near), -120.5, -1.3, 0.25, 0, 1, 1.75, 3.5, 4.25, 6, 7.75, 12.5, 140.25], n
        )

    def _next(self) -> int:
        self._used += 1
        return int.from_bytes(hashlib.sha256(self._seed + b"\x1e%d" % self._used).digest()[:8], "big")


LONGEST_ID = 200  # letters


def tidy_id(student_id: object) -> str:
    """The id without differences that nobody sees: spaces around it, capital letters.

    >>> tidy_id("  Ana Müller ")
    'ana müller'
    """
    import unicodedata

    if isinstance(student_id, bool) or not isinstance(student_id, (str, int)):
        raise ValueError(f"the student id is {student_id!r}: it is a text in quotes, such as 'demo'")
    text = str(student_id)  # of very many marks it would take long to put them in order
    tidy = " ".join(unicodedata.normalize("NFC", text).casefold().split()) if len(text) <= LONGEST_ID else ""
    if not tidy:
        raise ValueError("the student id is empty or too long: it is a text in quotes, such as 'demo'")
    return tidy
