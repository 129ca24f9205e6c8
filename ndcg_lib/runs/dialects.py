"""What other tools call a measure, and the number that they mean by it; facts by running the tools.

A spelling that one tool has, or several with one meaning, is read as theirs. Where they mean different numbers it is
refused with the strings that say each; a convention with a tool's name settles it.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ndcg_lib.checks import as_cutoff, shown
from ndcg_lib.convention import CONVENTIONS, Convention
from ndcg_lib.measures import MEASURES
from ndcg_lib.runs.names import OWN, PLAIN, Column, no_such, own

Found: TypeAlias = list[tuple[str, int | None, dict[str, Any]]] | None  # measure, cut-off, choices beside the preset's

TREC_CUTS = ((5, 10, 15, 20, 30, 100, 200, 500, 1000), (1, 5, 10))
TREC_CUT = {
    "ndcg_cut": "ndcg",
    "map_cut": "ap",
    "P": "p",
    "recall": "recall",
    "relative_P": "relp",
    "success": "success",
}
TREC_WHOLE = {"ndcg": "ndcg", "map": "ap", "recip_rank": "rr", "Rprec": "rprec", "bpref": "bpref", "infAP": "infap",
              "set_P": "p", "set_recall": "recall", "set_F": "f", "set_relative_P": "relp",
              "set_map": "setap"}  # fmt: skip
TREC_ELSE = re.compile(
    r"(num_q|num_ret|num_rel|num_rel_ret|gm_map|iprec_at_recall|relstring|gm_bpref|Rprec_mult|utility|11pt_avg|binG|G|dcg"
    r"|ideal_dcg|ndcg_rel|Rndcg|set_F|num_nonrel_judged_ret|map_avgjg"
    r"|P_avgjg|Rprec_mult_avgjg|yaap|rbp|rbp_resid|unj|runid|Rprec_avgjg|ndcg_p)([._].*)?"
)

IRM = {"nDCG": "ndcg", "NDCG": "ndcg", "AP": "ap", "MAP": "ap", "RR": "rr", "MRR": "rr", "P": "p", "Precision": "p",
       "R": "recall", "Recall": "recall", "Rprec": "rprec", "RPrec": "rprec", "Bpref": "bpref", "BPref": "bpref",
       "infAP": "infap", "Success": "success", "Judged": "judged", "ERR": "err", "RBP": "rbp", "SetP": "p",
       "SetR": "recall", "SetF": "f", "SetAP": "setap", "SetRelP": "relp"}  # fmt: skip
IRM_ELSE = re.compile(
    "Accuracy|BPM|Compat|n?ERR_IA|(alpha|α)_n?DCG|n?NRBP|AP_IA|MAP_IA|P_IA|StRecall|INST|INSQ|IPrec|NERR(8|9|10|11)|NumQ"
    "|NumRel|NumRet|NumRelRet|SDCG"
)

RANX = {"hits": "hits", "hit_rate": "success", "precision": "p", "recall": "recall", "f1": "f", "mrr": "rr",
        "map": "ap", "dcg": "dcg", "dcg_burges": "dcg", "ndcg": "ndcg", "ndcg_burges": "ndcg", "r-precision": "rprec",
        "bpref": "bpref"}  # fmt: skip


def _not_here(text: str, tool: str) -> ValueError:
    return ValueError(f"{shown(text)}: {tool} has it, and this library does not compute it")


def trec_eval(text: str) -> Found:
    """P_10, P.5,10, ndcg_cut: cut-offs stand behind a point or a line; a name alone has the tool's own."""
    match = re.fullmatch(r"(\w+?)(?:[._]([1-9][0-9]*(?:,[1-9][0-9]*)*))?", text)
    name, cuts = match.groups() if match else ("", None)
    if name in TREC_CUT:
        several = cuts.split(",") if cuts else TREC_CUTS[name == "success"]
        return [(TREC_CUT[name], int(k), {}) for k in several]
    if name in TREC_WHOLE and not cuts:
        return [(TREC_WHOLE[name], None, {})]
    gains = re.fullmatch(r"ndcg[._]([0-9]+=[0-9.]+(?:,[0-9]+=[0-9.]+)*)", text)
    if gains:  # a grade that is not listed is its own gain there; here the table of gains must hold every grade
        listed = dict(pair.split("=") for pair in gains[1].split(","))
        return [("ndcg", None, {"gain": {0.0: 0.0} | {float(grade): float(gain) for grade, gain in listed.items()}})]
    if TREC_ELSE.fullmatch(text):
        raise _not_here(text, "trec_eval")
    return None


def ir_measures(text: str) -> Found:
    """Python: nDCG(dcg='exp-log2')@10. Which program computes a measure, and so its order of equal scores, differs."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        k = ast.literal_eval(node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) else None
        node = node.left if isinstance(node, ast.BinOp) and k is not None else node
        call = node if isinstance(node, ast.Call) else None
        asked = {each.arg or "": ast.literal_eval(each.value) for each in call.keywords} if call else {}
        name = call.func if call else node
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(name, ast.Name) or (call and call.args):
        return None
    if IRM_ELSE.fullmatch(name.id):
        raise _not_here(text, "ir_measures")
    if name.id not in IRM:
        return None
    k, whole = asked.pop("cutoff", k), name.id.startswith("Set")
    if whole and k:
        raise ValueError(f"{shown(text)}: {name.id} is of the whole list, without a cut-off")
    of = "relp" if asked.pop("relative", False) else IRM[name.id]
    return [(of, k, _asked_of_ir_measures(text, of, k or whole, asked))]


def _asked_of_ir_measures(text: str, of: str, k: Any, asked: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if of in ("rr", "judged") and (k or of == "judged") and not asked.get("judged_only"):
        said = {"ties": "id", "score_precision": "double"}
    if of == "err" or asked.get("dcg") == "exp-log2":  # gdeval computes these
        said = {"score_precision": "double"}
    if of == "rbp":  # cwl_eval computes it
        said = {"ties": "order", "score_precision": "double"}
    for key, value in asked.items():
        if key == "rel" and "rel" in MEASURES[of].takes.split():
            said |= {"relevant": value} if value != 1 else {}
        elif key == "p" and of == "rbp":
            said["persistence"] = value
        elif key == "beta" and of == "f":
            said |= {"beta": math.sqrt(value)} if value != 1 else {}  # its beta is that of the textbook squared
        elif key == "dcg" and value in ("log2", "exp-log2"):
            said |= {"gain": "exponential"} if value == "exp-log2" else {}
        elif key == "gains" and isinstance(value, dict):
            said["gain"] = {float(grade): float(gain) for grade, gain in value.items()}
        elif key == "judged_only" and (of == "ndcg" or not value):
            said |= {"condensed": True} if value else {}
        else:
            raise ValueError(f"{shown(text)}: {key}={value!r} is not computed here for {MEASURES[of].heading}")
    if (of in ("p", "recall", "success", "err") or asked.get("dcg") == "exp-log2") and not k:
        raise ValueError(f"{shown(text)}: ir_measures wants a cut-off; add one, as in {text}@10")
    if of == "err":
        said["max_grade"] = 4.0
    if of == "rbp":
        said.setdefault("persistence", 0.8)
        if "rel" not in asked:
            p = said["persistence"]
            raise ValueError(f"{shown(text)}: without rel, ir_measures takes grades as gains and leaves their top to"
                             f" the file; write RBP(p={p:g},max=3)")  # fmt: skip
    return said


def ranx(text: str) -> Found:
    """ndcg@10, rbp.95, hits@5-l2: small names; -l is the lowest relevant grade."""
    match = re.fullmatch(r"(f1|[a-z_-]+?)(?:@([1-9][0-9]*))?(?:-l([1-9][0-9]*))?", text)
    rbp = re.fullmatch(r"rbp[.@]([0-9]+)(-l[1-9][0-9]*)?", text)
    if rbp and not rbp[2]:  # it adds up the grades themselves: above grade 1 the library refuses the top
        return [("rbp", None, {"persistence": float(f"0.{rbp[1]}"), "max_grade": 1.0})]
    if text.partition("@")[0].partition("-l")[0] == "r_precision" or rbp:
        raise _not_here(text, "ranx")
    if not match or match[1] not in RANX:
        return None
    name, k, level = RANX[match[1]], int(match[2]) if match[2] else None, match[3]
    said: dict[str, Any] = {"gain": "exponential"} if "burges" in match[1] else {}
    if level and level != "1":
        if "rel" not in MEASURES[name].takes.split():
            raise ValueError(f"{shown(text)}: ranx leaves out the grades below {level} and keeps the others as gains;"
                             f" write {MEASURES[name].heading}(gain=0:0;{level}:{level};…)")  # fmt: skip
        said["relevant"] = float(level)
    if name == "bpref":
        raise ValueError(
            f"{shown(text)}: ranx's differs from trec_eval's where few documents are judged as not relevant"
        )
    if name == "hits" and not k:
        raise ValueError(f"{shown(text)}: Hits needs a cut-off: write hits@10")
    if name == "rprec" and k:
        raise ValueError(f"{shown(text)}: ranx reads over the cut-off; write {match[1]}")
    return [(name, k, said)]


def gdeval(text: str) -> Found:
    """ndcg@20 and err@20, with 4 as the top of all scales."""
    match = re.fullmatch(r"(ndcg|err)@([1-9][0-9]*)", text.lower())
    return [(match[1], int(match[2]), {"max_grade": 4.0} if match[1] == "err" else {})] if match else None


Reader: TypeAlias = Callable[[str], Found]
DIALECTS: dict[str, Reader] = {"trec_eval": trec_eval, "ir_measures": ir_measures, "ranx": ranx}
"""Whose spellings are read without their name."""
TOOLS: dict[str, tuple[Reader, str]] = {
    **dict.fromkeys(("trec_eval", "trec_eval_9", "pytrec_eval", "beir", "mteb"),
                    (trec_eval, "ndcg ap p recall f relp setap success rr rprec bpref infap")),
    "ir_measures": (ir_measures, "ndcg ndcg' ap rr p recall f relp setap rprec bpref infap success judged err rbp"),
    **dict.fromkeys(("ranx", "ranx_burges", "ranx_dicts"), (ranx, "ndcg dcg hits success p recall f rr ap rprec")),
    "gdeval": (gdeval, "ndcg err"),
}  # fmt: skip
"""The presets of tools that have other measures than NDCG: their spellings, and which measures they have."""


def _column(found: tuple[str, int | None, dict[str, Any]], base: Convention) -> Column:
    name, k, said = found
    given = {key: said[key] for key in OWN.values() if key in said}
    choices = {key: value for key, value in said.items() if key not in given and key != "condensed"}
    made = base.but(**choices, name="", stands_for="") if choices else base
    return Column("ndcg'" if said.get("condensed") else name, k, made, given)


def read(text: str, base: Convention = PLAIN) -> list[Column]:
    """The measures that a string names: in this library's grammar, or in the dialect of one tool alone.

    A convention of a tool's name reads it in that tool's dialect, and what the tool has not is refused.

    >>> [str(m) for m in read("nDCG@10") + read("ndcg_cut_10") + read("P.5,10", CONVENTIONS["trec_eval"])]
    ['nDCG@10', 'nDCG(ties=id-descending)@10', 'P(ties=id-descending)@5', 'P(ties=id-descending)@10']
    """
    if (
        base.name in CONVENTIONS
        and base == CONVENTIONS[base.name].but(k=None)
        and base.but(name="", stands_for="") != PLAIN
    ):
        return _of_tool(text, base)
    refused, others = list[str](), list[str]()
    try:
        mine = own(text, base)
        if mine is not None:
            return [mine]
    except ValueError as error:
        refused.append(str(error))
    found: dict[str, list[Column]] = {}
    for tool, reader in DIALECTS.items():
        try:
            theirs = reader(text)
            if theirs is not None:
                found[tool] = [_column(each, CONVENTIONS[tool]) for each in theirs]
        except ValueError as error:
            others.append(str(error))
    refused = refused or (others if not found else [])
    if refused:  # what another tool means by it does not make it one number
        raise ValueError("; ".join([*refused, *(f"{tool} means {_listed(each)}" for tool, each in found.items())]))
    if not found:
        raise ValueError(no_such(text))
    if base != PLAIN:  # what was chosen beside the name may settle it, and may not contradict it
        found = {tool: each for tool, each in found.items() if all(one.convention == base for one in each)}
        if not found:
            raise ValueError(f"{shown(text)} is another tool's name, which says all: leave out the other choices, or"
                             " write nDCG(gain=exp)@10")  # fmt: skip
    if len({_listed(each) for each in found.values()}) > 1:
        readings = "; ".join(f"{tool} means {_listed(each)}" for tool, each in found.items())
        raise ValueError(
            f"{text} is not one number: {readings}. Write one of these, or name the tool (--as, convention=)"
        )
    return next(iter(found.values()))


def _listed(columns: list[Column]) -> str:
    return ", ".join(map(str, columns))


def _of_tool(text: str, base: Convention) -> list[Column]:
    """In the dialect of a tool, or in this grammar where it says what the tool computes."""
    tool = base.name
    reader, has = TOOLS.get(tool, (None, "ndcg"))
    if not base.stands_for or tool in ("jarvelin-kekalainen", "burges"):  # papers, which define no other measure
        has = " ".join(MEASURES)
    found = reader(text) if reader else None
    if found is None and reader:  # rr@10 is RR@10 to ir_measures as well
        mine = re.fullmatch(r"([A-Za-z']+)((?:@|\().*)?", text)
        name = {"R": "recall"}.get(mine[1], mine[1].lower()) if mine else ""
        if mine and name in MEASURES:
            found = reader(MEASURES[name].heading + (mine[2] or ""))
    if found is not None:
        return [_column(each, base) for each in found]
    one = own(text, base)
    if one is None:
        raise ValueError(f"{tool} has no measure {shown(text)}")
    if one.measure not in has.split() and one.convention == base:
        raise ValueError(
            f"{tool} has no {one.kind.heading}: leave out the name of the tool, and say the choices in the string"
        )
    return [one]


def as_columns(measures: Any, k: Any, base: Convention = PLAIN) -> list[Column]:
    """The measures asked for: "ndcg@10" has its own cut-off, "ndcg" takes each k; `base` decides what they leave out.

    >>> [str(column) for column in as_columns(["ndcg", "AP", "P(rel=2)@5", "nDCG(gain=exp)@3"], [10, 20])]
    ['nDCG@10', 'nDCG@20', 'AP', 'P(rel=2)@5', 'nDCG(gain=exponential)@3']
    """
    each: Sequence[Any] = k if isinstance(k, (list, tuple, range)) else [k]
    cutoffs = [as_cutoff(one) for one in each]
    if not cutoffs:
        raise ValueError("k is an empty list: pass one or more cut-offs, or None for the whole list")
    if cutoffs == [None]:
        cutoffs = [base.k]
    columns: list[Column] = []
    for spec in [measures] if isinstance(measures, (str, Column)) else measures:
        if isinstance(spec, Column):
            columns.append(spec)
            continue
        if not isinstance(spec, str):
            raise ValueError(no_such(spec))
        if spec.strip().isdecimal() and columns and columns[-1].k:  # ndcg_cut.5,10
            last = columns[-1]
            columns.append(Column(last.measure, int(spec), last.convention, last.own))
            continue
        found = read(spec.strip(), base.but(k=None) if base.k else base)
        for one in found:
            several = cutoffs if one.k is None and one.kind.takes_k and len(found) == 1 else [one.k]
            for cut in several:
                name = spec.strip() if cut == one.k else f"{spec.strip()}@{cut}"
                columns.append(Column(one.measure, cut, one.convention, one.own, name if len(found) == 1 else ""))
    if not columns:
        raise ValueError(f"no measure is asked for: pass some of {', '.join(MEASURES)}")
    hits = next((one for one in columns if one.measure == "hits" and one.k is None), None)
    if hits is not None:
        raise ValueError("Hits needs a cut-off: write Hits@10")
    return list({one.key: one for one in columns}.values())
