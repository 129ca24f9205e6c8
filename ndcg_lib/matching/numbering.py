"""Numbers for the queries of a file."""

from __future__ import annotations

import numpy as np

from ndcg_lib.files.decimals import Ints
from ndcg_lib.files.ids import Ids

_BITS = 20


class Numbering:
    """Query number i is names[i]. Most queries are found in a table of fingerprints, all at once."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._number: dict[bytes, int] = {}
        self._slots = np.zeros(1 << _BITS, dtype=np.int32)
        self._known = Ids.of([b""])  # a name for each slot that nobody has taken yet, then the names
        self._missed = 0

    def numbers(self, queries: Ids) -> Ints:
        """The number of each query.

        >>> numbering = Numbering()
        >>> [numbering.names[at].decode() for at in numbering.numbers(Ids.of([b"51", b"52", b"51"]))]
        ['51', '52', '51']
        """
        fingerprint = queries.fingerprints()
        number: Ints = self._slots[fingerprint >> np.uint64(64 - _BITS)].astype(np.int64)
        unknown = np.flatnonzero(~self._known.take(number).same(queries))
        number -= 1
        _, first, which = np.unique(fingerprint[unknown], return_index=True, return_inverse=True)
        several, one = queries.take(unknown), queries.take(unknown[first])
        number[unknown] = np.array([self._number_of(name) for name in one.all_bytes()], np.int64)[which]
        for row in np.flatnonzero(~one.take(which).same(several)).tolist():
            number[unknown[row]] = self._number_of(several.at(row))
        self._missed += len(first)
        if self._missed > len(self.names) >= len(self._known):
            self._learn()
        return number

    def _number_of(self, name: bytes) -> int:
        number = self._number.get(name)
        if number is None:
            number = self._number[name] = len(self.names)
            self.names.append(name)
        return number

    def _learn(self) -> None:
        """Put all names into the table."""
        self._missed = 0
        self._known = Ids.of([b"", *self.names])
        self._slots[self._known.fingerprints()[1:] >> np.uint64(64 - _BITS)] = np.arange(1, len(self._known))
