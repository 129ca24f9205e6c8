"""The types of the public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ndcg_lib.convention import Convention

Array: TypeAlias = NDArray[np.float64]
Grades: TypeAlias = Sequence[Any] | NDArray[Any]
Judged: TypeAlias = Grades | Mapping[Any, Any]
Value: TypeAlias = Any  # a float for one ranking, an array with a value per row for several
ConventionLike: TypeAlias = "Convention | str | None"
