"""The sources of the playground as a plain script, what it is asked, and Node, which answers."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from _ext import playground

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed; tests/browser asks the same in Chromium")
WITHOUT_A_PAGE = playground.MODULES[: playground.MODULES.index("dom")]
ASKED = """
const LIBRARIES = PRESETS.map((preset) => ({ ...DEFAULTS, ...preset }));
const state = ({ names, grades, tied, missed, convention }) => ({
  returned: grades.map((grade, i) => ({ name: names[i], grade })), tied,
  missed: missed.map((grade, i) => ({ name: `d${100 + i}`, grade })),
  convention: { ...convention, table: Object.fromEntries(convention.table) },
});
const none = (x) => (Number.isNaN(x) ? null : x);
const answer = (vector) => {
  const now = state(vector), list = listOf(now), found = evaluate(list, now.convention);
  return {
    cg: found.cg, dcg: found.dcg, idcg: found.idcg, ndcg: none(found.ndcg), gains: found.gains,
    at_each_k: found.atEachK.map((at) => none(at.ndcg)), discounts: found.discounts,
    random: none(found.random), best: none(found.best), worst: none(found.worst),
    swapped: vector.swaps.map(([i, j]) => none(afterSwap(list, now.convention, i, j))),
    libraries: Object.fromEntries(ofLibraries(list, now.convention.k, LIBRARIES).map((l) => [l.name, none(l.ndcg)])),
    python: asPython(now), markdown: asMarkdown(now), latex: asLatex(now), card: definition(now.convention),
    hash: toHash(now), again: toHash(fromHash(toHash(now))),
  };
};
"""


def script(*lines: str) -> str:
    """The sources that need no page, and the presets, as a plain script."""
    sources = [playground.bare((playground.SOURCES / f"{name}.js").read_text("utf8")) for name in WITHOUT_A_PAGE]
    return "\n".join([f"const PRESETS = {json.dumps(playground.libraries())};", playground.choices(), *sources, *lines])


def ask(*lines: str) -> Any:
    done = subprocess.run(
        [NODE or "node", "-"], input=script(*lines), capture_output=True, encoding="utf8", check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(expected: Any, given: Any) -> list[float]:
    """The distance of each number from its counterpart; one without a counterpart is far."""
    if isinstance(expected, dict):
        return [d for name, value in expected.items() for d in differences(value, given[name])]
    if isinstance(expected, list):
        assert len(expected) == len(given)
        return [d for pair in zip(expected, given, strict=True) for d in differences(*pair)]
    if expected is None or given is None:
        return [0.0 if expected is given else 1.0]
    return [abs(expected - given)]
