"""Ids as they stand in a block of bytes: compared and fingerprinted without making a Python object of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.files.decimals import PADDING, Flags, Ints, Words

LONG = 256  # longer ids are treated one by one

_FIRST = np.array([2 ** (8 * count) - 1 for count in range(9)], dtype=np.uint64)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class Ids:
    """Ids number 0 to n - 1: the bytes from start to end of a text."""

    text: NDArray[np.uint8]
    start: Ints
    end: Ints

    @staticmethod
    def of(ids: Iterable[bytes]) -> Ids:
        """Ids from bytes.

        >>> Ids.of([b"d1", b"d22"]).at(1)
        b'd22'
        """
        ids = list(ids)
        end = PADDING + np.cumsum([len(one) for one in ids], dtype=np.int64)
        start = end - np.array([len(one) for one in ids], dtype=np.int64)
        return Ids(_padded(np.frombuffer(b"".join(ids), np.uint8)), start, end)

    @staticmethod
    def joined(parts: Sequence[Ids]) -> Ids:
        """Several lots of ids behind each other, in a text that holds nothing else."""
        size = np.concatenate([part.end - part.start for part in parts] or [np.empty(0, np.int64)])
        end = PADDING + np.cumsum(size)
        return Ids(_padded(*(part._bare() for part in parts)), end - size, end)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def words(self) -> Words:
        """The overlapping little-endian 8-byte words of the text."""
        return np.ndarray(len(self.text) - 7, "<u8", self.text, strides=(1,))

    def at(self, row: int) -> bytes:
        """One id."""
        return self.text[int(self.start[row]) : int(self.end[row])].tobytes()

    def all_bytes(self) -> list[bytes]:
        """All ids.

        >>> Ids.of([b"d1", b"d22"]).all_bytes()
        [b'd1', b'd22']
        """
        whole = self.text.tobytes()
        return [whole[start:end] for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """All ids as Python texts.

        >>> Ids.of(["é".encode(), b"d2"]).texts()
        ['é', 'd2']
        """
        whole = self.text.tobytes()
        if not whole.isascii():
            return [one.decode() for one in self.all_bytes()]
        text = whole.decode("ascii")
        return [text[start:end] for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def take(self, rows: NDArray[np.int64]) -> Ids:
        """Some of the ids."""
        return Ids(self.text, self.start[rows], self.end[rows])

    def packed(self) -> Ids:
        """The same ids in a text of their own, so that the rest of the old text can be forgotten."""
        return Ids.joined([self])

    def fingerprints(self, seed: int = 0) -> Words:
        """A 64-bit number for each id, the same for the same bytes.

        >>> one, two, again = Ids.of([b"d1", b"d2", b"d1"]).fingerprints()
        >>> bool(one == again), bool(one == two)
        (True, False)
        """
        start, size = self.start, self.end - self.start
        words, longest = self.words, int(size.max(initial=0))
        multiplier = np.uint64(0x9E3779B97F4A7C15 + 2 * seed)
        mixed = size.astype(np.uint64) * multiplier
        for offset in range(0, min(longest, LONG), 8):
            left = size - offset
            shortest = int(left.min())
            if shortest > 0:
                mixed = _stirred(mixed, _word(words, start + offset, left, shortest), multiplier)
            else:
                rows = np.flatnonzero(left > 0)
                mixed[rows] = _stirred(mixed[rows], _word(words, start[rows] + offset, left[rows], 1), multiplier)
        mixed *= multiplier  # so that the first bits depend on all
        for row in np.flatnonzero(size > LONG).tolist() if longest > LONG else ():
            mixed[row] = int.from_bytes(blake2b(self.at(row), digest_size=8, key=seed.to_bytes(8)).digest())
        return mixed

    def same(self, other: Ids) -> Flags:
        """Whether each id is that of the other at the same place.

        >>> Ids.of([b"d1", b"d2"]).same(Ids.of([b"d1", b"d20"])).tolist()
        [True, False]
        """
        size = self.end - self.start
        equal: Flags = size == other.end - other.start
        longest = int(size.max(initial=0))
        for offset in range(0, min(longest, LONG), 8):
            rows = np.flatnonzero(equal & (size > offset))
            differ = self.words[self.start[rows] + offset] ^ other.words[other.start[rows] + offset]
            equal[rows] = differ & _FIRST[np.minimum(size[rows] - offset, 8)] == 0
        for row in np.flatnonzero(equal & (size > LONG)).tolist() if longest > LONG else ():
            equal[row] = self.at(row) == other.at(row)
        return equal

    def changes(self) -> NDArray[np.int64]:
        """The rows whose id differs from the one before, the first row among them.

        >>> Ids.of([b"51", b"51", b"52"]).changes().tolist()
        [0, 2]
        """
        size = self.end - self.start
        same = size[1:] == size[:-1]
        longest = int(size.max())
        for offset in range(0, min(longest, LONG), 8):
            left = np.minimum(size, 8) if offset == 0 else np.clip(size - offset, 0, 8)
            start = self.start if offset == 0 else self.start + np.minimum(size, offset)
            word = self.words[start] & _FIRST[left]
            same &= word[1:] == word[:-1]
        rows = (np.flatnonzero(~same | (size[1:] > LONG)) + 1).tolist()
        if longest > LONG:
            rows = [row for row in rows if size[row] <= LONG or self.at(row) != self.at(row - 1)]
        return np.array([0, *rows])

    def order(self, group: Ints) -> Ints:
        """The order by group, and within a group by id, byte by byte as C's strcmp does.

        >>> Ids.of([b"d10", b"d9", b"d1"]).order(np.array([0, 0, 0])).tolist()
        [2, 0, 1]
        """
        size = self.end - self.start
        longest = int(size.max(initial=0))
        if longest > LONG:
            return np.array(sorted(range(len(self)), key=lambda row: (group[row], self.at(row))), dtype=np.int64)
        keys = []
        for offset in range(0, longest, 8):
            left = np.clip(size - offset, 0, 8)
            keys.append((self.words[np.where(left > 0, self.start + offset, 0)] & _FIRST[left]).byteswap())
        return np.lexsort((*reversed(keys), group))

    def _bare(self) -> NDArray[np.uint8]:
        size = self.end - self.start
        behind = np.cumsum(size)
        return self.text[np.repeat(self.start - behind + size, size) + np.arange(int(size.sum()))]


def _padded(*parts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.concatenate((np.zeros(PADDING, np.uint8), *parts, np.zeros(8, np.uint8)))


def _word(words: Words, start: Ints, left: Ints, shortest: int) -> Words:
    return words[start] if shortest >= 8 else words[start] & _FIRST[np.minimum(left, 8)]


def _stirred(mixed: Words, word: Words, multiplier: np.uint64) -> Words:
    mixed = (mixed ^ word) * multiplier
    mixed ^= mixed >> _HALF
    return mixed
