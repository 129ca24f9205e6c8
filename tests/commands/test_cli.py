"""The ndcg command as one types it: output, exit codes, and one line about whatever is wrong."""

import csv
import io
import json
import math
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest

import ndcg_lib as nd
from ndcg_lib.commands import demo
from ndcg_lib.commands.cli import main
from ndcg_lib.commands.group import COMMANDS, group
from ndcg_lib.definition import PUBLIC, TABLE
from ndcg_lib.files import source
from ndcg_lib.files.values import read_values
from ndcg_lib.measures import EVERY, MEASURES

QRELS = "51 0 d7 3\n51 0 d8 2\n51 0 d9 0\n52 0 d7 1\n53 0 d1 1\n"
RUN = "51 Q0 d8 1 12.5 me\n51 Q0 d7 2 11.25 me\n51 Q0 d5 3 11.25 me\n52 Q0 d7 1 1 me\n"
NEW = "51 Q0 d7 1 12.5 me\n51 Q0 d8 2 11.25 me\n52 Q0 d7 1 1 me\n53 Q0 d1 1 1 me\n"
TREC_EVAL = "ndcg_cut_10           \t51\t0.8340\nndcg_cut_10           \t52\t1.0000\nndcg_cut_10 \tall\t0.6113\n"
IR_MEASURES = "51\tnDCG@10\t0.8340\n52\tnDCG@10\t1.0000\nall\tnDCG@10\t0.9170\n"
SKLEARN = "query,NDCG@10\n51,0.9134\n52,1.0\n54,0.5\n"
WINDOWS = os.name == "nt"
HERE = os.pathsep.join([str(Path(nd.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgements and runs, to stand in."""
    files = {"qrels.txt": QRELS, "run.txt": RUN, "old.txt": RUN, "new.txt": NEW, "trec_eval.txt": TREC_EVAL}
    for name, text in (files | {"ir_measures.txt": IR_MEASURES, "sklearn.csv": SKLEARN}).items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["ndcg"])
    return tmp_path


class Ran:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def ndcg(capsys: pytest.CaptureFixture[str], line: str) -> Ran:
    """Run a command line in this process."""
    code = main(shlex.split(line))
    out, err = capsys.readouterr()
    return Ran(code, out, err)


def process(*arguments: str, text_in: bytes | None = None, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command line in a process of its own."""
    command = [sys.executable, "-m", "ndcg_lib", *arguments]
    env = {**os.environ, "PYTHONPATH": HERE, **environment}
    return subprocess.run(command, input=text_in, capture_output=True, env=env, check=False, timeout=600)


def examples(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """The lines below "Examples:" in every help."""
    found = []
    for name in ("", *COMMANDS):
        text = ndcg(capsys, f"{name} --help").out
        for line in re.findall(r"^ +(ndcg .*)$", text.partition("Examples:")[2].partition("Options:")[0], re.M):
            found.append((name or "ndcg", line))
    return found


def test_the_examples_of_every_help_run(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    seen = examples(capsys)
    (folder / "other.txt").write_text(NEW)
    (folder / "metrics.py").write_text("def ndcg_at_k(grades, k=10):\n    return sum(grades[:k])\n")
    nd.save(nd.evaluate(folder / "qrels.txt", folder / "run.txt"), folder / "result.json")
    assert {name for name, _ in seen} == {"ndcg", *COMMANDS} - {"completion"}
    for name, line in [each for each in seen if each[1] != "ndcg demo here"]:  # it has a test of its own below
        line, _, file = line.partition(" > ")
        ran = ndcg(capsys, line.removeprefix("ndcg "))
        assert ran.code in ((0, 1) if name == "diff" else (0, 4) if name == "gate" else (0,)), line
        assert ran.err == "" or file, line
        assert ran.out.strip(), line
        if file:
            (folder / file).write_text(ran.out)


@pytest.mark.parametrize("line", ["--help", "-h", "score --help", "which -h", "eval --help", "completion --help", ""])
def test_help(capsys: pytest.CaptureFixture[str], line: str) -> None:
    ran = ndcg(capsys, line)
    assert ran.code == 0
    assert ran.out.startswith("Usage: ndcg")


def test_the_demo_runs_the_lines_of_readme(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf8").partition("## If you need the number")[2]
    first, *lines = re.findall(r"^ndcg .*$", readme.partition("```python")[0], re.M)
    assert first.startswith("ndcg demo here && cd here ") and lines == demo.LINES
    assert main(["demo", str(tmp_path / "here")]) == 0
    out = capfd.readouterr().out
    shown = out.split("\n$ ")
    assert len(shown) == len(demo.LINES) and "(exit code 2)" not in out
    assert "old.txt   0.7210" in out, "the published value of this system"
    assert "ideal the first k returned" in out and "cannot tell: a loss" in out
    assert all(part.strip().count("\n") for part in shown if " > " not in part)
    assert main(["demo", str(tmp_path / "here")]) == 2 and "is there already" in capfd.readouterr().err


def test_every_command_is_listed_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    listed = ndcg(capsys, "--help").out
    for name, sentence in COMMANDS.items():
        assert f" {name} {sentence} " in " ".join(listed.split())
    assert ndcg(capsys, "--version").out == f"ndcg {nd.__version__}\n"


# ---- score ----


def test_score(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "score 3 2 3 0 1 2")
    assert ran.out.splitlines()[:2] == ["NDCG = 0.961", nd.Convention().definition()]
    ran = ndcg(capsys, 'score 3,2,3 0 1 2 -k 6 --judged "3 2 3 0 1 2 3 2" --decimals 5')
    assert ran.out.startswith("NDCG@6 = 0.78500\n")


@pytest.mark.parametrize(
    ("more", "assumed"),
    [("", True), ("-k 2", True), ("--show", True), ('--judged "3 2 0"', False), ("--ideal returned", False)],
)
def test_score_says_when_it_assumes_that_nothing_else_was_judged(
    capsys: pytest.CaptureFixture[str], more: str, assumed: bool
) -> None:
    assert ndcg(capsys, f"score 3 0 2 {more}").out.count("assumed: nothing else was judged") == assumed
    if "--show" not in more:
        assert ("assumed" in json.loads(ndcg(capsys, f"score 3 0 2 --json {more}").out)) is assumed


def test_score_shows_the_working(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "score 3 0 2 --show")
    assert nd.working([3, 0, 2]).text() in ran.out


def test_score_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "score 3 0 1 --gain 0:0,1:1,3:10 --discount original --base 3 -k 2 --json")
    result = json.loads(ran.out)
    assert result["value"] == nd.ndcg([3, 0, 1], 2, gain={0: 0, 1: 1, 3: 10}, discount="original", base=3)
    assert result["convention"]["gain"] == {"0": 0, "1": 1, "3": 10}
    assert result["convention"]["card"].startswith("NDCG@2: gain {")
    undefined = json.loads(ndcg(capsys, "score 0 0 --empty nan --json").out, parse_constant=pytest.fail)
    assert (undefined["value"], undefined["convention"]["empty"]) == (None, "nan")


def test_score_by_scores(capsys: pytest.CaptureFixture[str]) -> None:
    for ties, value in (("average", "0.444"), ("best", "1.000"), ("worst", "0.000"), ("order", "1.000")):
        assert ndcg(capsys, f'score 3 0 1 -k 1 --scores "1 1 1" --ties {ties}').out.startswith(f"NDCG@1 = {value}\n")


# ---- which ----


def test_which(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "which 0.961 3 2 3 0 1 2")
    assert ran.code == 0
    assert "linear gain" in ran.out.split("2.")[0] + ran.out
    told = json.loads(ndcg(capsys, "which 0.961 3 2 3 0 1 2 --json").out)
    assert told == json.loads(json.dumps(nd.which("0.961", [3, 2, 3, 0, 1, 2]).as_dict()))
    assert told["answers"][0]["kind"] == "convention"


def test_which_says_no_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "which 0.123 3 2 3 0 1 2 --quantity idcg")
    assert (ran.code, ran.err) == (1, "")
    assert "nothing fits" in ran.out
    told = json.loads(ndcg(capsys, "which 0.123 3 2 3 0 1 2 --quantity idcg --json").out)
    assert (told["answers"], told["nearest"]["kind"]) == ([], "convention")


def test_which_takes_a_percentage_and_nan(capsys: pytest.CaptureFixture[str]) -> None:
    assert "in percent" in ndcg(capsys, "which 96.1% 3 2 3 0 1 2").out.splitlines()[2]
    assert "no-zero-guard" in ndcg(capsys, "which nan 0 0").out
    assert "division by 0" in ndcg(capsys, "which inf 3 2").out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("twice.json", '{"q": ["A", "A"]}'),
        ("twice.txt", "q Q0 A 1 2 t\nq Q0 A 2 1 t\n"),
        ("dict.json", '{"q": {"A": 2}}'),
    ],
)
def test_which_takes_a_document_that_comes_twice(capsys: pytest.CaptureFixture[str], name: str, text: str) -> None:
    Path(name).write_text(text)
    Path("one.txt").write_text("q 0 A 1\n")
    value = "1.63093" if "twice" in name else "1.00000"
    first = json.loads(ndcg(capsys, f"which {value} --qrels one.txt --run {name} --json").out)["answers"][0]
    assert ("duplicates-counted" in first["name"]) == ("twice" in name)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="this system has no /proc")
def test_a_file_that_fails_while_it_is_read_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    said = ndcg(capsys, "eval qrels.txt /proc/self/mem").err
    assert said.startswith("ndcg: /proc/self/mem: ")
    assert said.count("\n") == 1


def test_which_takes_files(capsys: pytest.CaptureFixture[str]) -> None:
    value = nd.evaluate("qrels.txt", "run.txt", 2, convention="trec_eval")["ndcg@2"]
    ran = ndcg(capsys, f"which {value:.4f} --qrels qrels.txt --run run.txt -k 2")
    assert ran.code == 0, ran.out + ran.err


# ---- eval ----


def test_eval_prints_a_table_the_convention_and_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "eval qrels.txt run.txt -k 1,2 -m ndcg -m ap,rr --convention trec_eval")
    result = nd.evaluate("qrels.txt", "run.txt", [1, 2], measures=["ndcg", "ap", "rr"], convention="trec_eval")
    heading, means, *cards, report = ran.out.splitlines()
    assert heading.split() == [f"{name}" for name in map(str, result.columns)]
    assert heading.split()[0] == "nDCG(ties=id-descending)@1"
    assert means.split() == ["run.txt", *(f"{value:.4f}" for value in result.values())]
    cards = [card for card in cards if " share their score " not in card]
    assert cards == result.cards() and all(
        card.startswith(str(c)) for card, c in zip(cards, result.columns, strict=True)
    )
    assert report == result.report == (
        "3 judged queries. 1 judged query returned nothing: counted 0."
    )  # fmt: skip


def test_eval_per_query(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "eval qrels.txt run.txt -k 2 -q --decimals 2")
    result = nd.evaluate("qrels.txt", "run.txt", 2)
    rows = [[query, f"{value:.2f}"] for query, value in result.per_query().items()]
    assert [query for query, _ in rows] == ["51", "52", "53"]
    assert [line.split() for line in ran.out.splitlines()[1:5]] == [*rows, ["run.txt", f"{result['ndcg@2']:.2f}"]]


def test_eval_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(ndcg(capsys, "eval qrels.txt old.txt new.txt -k 2 -q --json").out)
    assert [run["run"] for run in result["runs"]] == ["old.txt", "new.txt"]
    assert result["runs"][1]["mean"] == {"ndcg@2": 1.0}
    assert result["runs"][1]["per_query"]["53"] == {"ndcg@2": 1.0}
    assert result["convention"]["card"] == nd.Convention(k=2).card()
    assert result["differences"][0]["better"] == 2
    assert "per_query" not in json.loads(ndcg(capsys, "eval qrels.txt run.txt --json").out)["runs"][0]


def test_eval_as_csv_keeps_the_words_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    ran = ndcg(capsys, "eval qrels.txt old.txt new.txt -k 2 -m ndcg,p --csv")
    rows = list(csv.reader(io.StringIO(ran.out)))
    assert rows[0] == ["run", "ndcg@2", "p@2"]
    assert rows[2] == ["new.txt", "1.0", str(nd.evaluate("qrels.txt", "new.txt", measures="p@2")["p@2"])]
    assert "old.txt: 3 judged queries." in ran.err
    rows = list(csv.reader(io.StringIO(ndcg(capsys, "eval qrels.txt run.txt -q --csv").out)))
    assert [row[:2] for row in rows] == [["run", "query"], ["run.txt", "51"], ["run.txt", "52"], ["run.txt", "53"]]


def test_eval_of_several_runs_compares_them(capsys: pytest.CaptureFixture[str]) -> None:
    out = ndcg(capsys, "eval qrels.txt old.txt new.txt -k 2").out
    gain = 1 - nd.evaluate("qrels.txt", "old.txt", 2)["ndcg@2"]
    assert f"new.txt against old.txt: ndcg@2 +{gain:.4f}, better in 2 queries, worse in 0, equal in 1\n" in out
    assert "old.txt: 3 judged queries. 1 judged query returned nothing: counted 0." in out


def test_eval_answers_no_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert ndcg(capsys, "eval qrels.txt run.txt --at-least 0.6").code == 0
    mean = nd.evaluate("qrels.txt", "run.txt")["ndcg"]
    assert ndcg(capsys, f"eval qrels.txt run.txt --at-least {mean!r}").code == 0
    assert ndcg(capsys, f"eval qrels.txt run.txt --at-least {math.nextafter(mean, 1)!r}").code == 1
    ran = ndcg(capsys, "eval qrels.txt run.txt --at-least 0.9")
    assert (ran.code, ran.err) == (1, f"ndcg of run.txt is {float(mean)!r}, below 0.9\n")


def test_eval_all_measures(capsys: pytest.CaptureFixture[str]) -> None:
    heading = ndcg(capsys, "eval qrels.txt run.txt -k 3 -m all").out.splitlines()[0]
    shown = {heading.partition("@")[0] for heading in heading.split()}
    unsaid = {measure.heading for measure in MEASURES.values() if measure.needs} | {"Hits", "infAP"}
    assert shown == {measure.heading for measure in MEASURES.values()} - unsaid


def test_eval_takes_the_names_of_other_tools(capsys: pytest.CaptureFixture[str]) -> None:
    given = "eval qrels.txt run.txt -m ndcg_cut.5,10 -m 'RBP(p=0.8,rel=2)' -m P_5,Rprec"
    tied = "(ties=id-descending)"
    headings = [f"nDCG{tied}@5", f"nDCG{tied}@10", "RBP(p=0.8,rel=2)", f"P{tied}@5", "Rprec"]
    assert ndcg(capsys, given).out.splitlines()[0].split() == headings
    assert "map is not one number" in ndcg(capsys, "eval qrels.txt run.txt -m map").err
    assert ndcg(capsys, "eval qrels.txt run.txt -m map --as trec_eval").out.split()[0] == f"AP{tied}"


OPTIONS = {**{name: TABLE[name].names for name in PUBLIC if len(TABLE[name].names) > 1}, "base": ("3",), "p": (".5",)}


@pytest.mark.parametrize("name", OPTIONS)
def test_what_decides_a_value_is_a_word_of_the_measure_and_no_option(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    for key in OPTIONS[name]:
        takes = "gain=exp,discount=geometric," if name == "p" else ""
        measure = f"nDCG({takes}{name}={key})@2"
        given: dict[str, Any] = {"gain": "exponential", "discount": "geometric"} if name == "p" else {}
        given[name] = float(key) if name in ("p", "base") else key
        line = f"-m {measure} --json"
        if (name, key) == ("missing", "raise"):
            assert f"{name}='raise'" in ndcg(capsys, f"eval qrels.txt run.txt {line}").err
            continue
        told = json.loads(ndcg(capsys, f"eval qrels.txt run.txt {line}").out)["runs"][0]["mean"]
        assert told == {measure: nd.evaluate("qrels.txt", "run.txt", 2, **given)["ndcg@2"]}
    for command in ("eval qrels.txt run.txt", "compare qrels.txt run.txt run.txt", "gate qrels.txt run.txt run.txt"):
        said = ndcg(capsys, f"{command} --{name.replace('_', '-')} x").err
        assert f"there is no --{name.replace('_', '-')}: what decides a value stands in its measure" in said
        assert f"{name}=…)" in said


@pytest.mark.parametrize(
    ("option", "word"), [("relevant", "RR(rel=…)"), ("persistence", "RBP(p=…)"), ("max-grade", "ERR(max=…)")]
)
def test_an_option_that_became_a_word_names_it(capsys: pytest.CaptureFixture[str], option: str, word: str) -> None:
    assert f"as -m '{word}'" in ndcg(capsys, f"eval qrels.txt run.txt --{option} 2").err
    assert "no such option" in ndcg(capsys, f"which 3 2 --{option} 2").err


def test_help_names_every_word_of_a_measure(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("eval", "compare", "gate"):
        told = ndcg(capsys, f"{command} --help").out.partition("Words of a measure")[2].splitlines()
        rows = {line.split()[0] for line in told if line.startswith("  ")}
        assert rows == {word for each in MEASURES.values() for word in f"{each.takes} {EVERY}".split()}
        for words in (
            "linear, exponential, binary, 0:0;1:1;2:10 (nDCG, nDCG', DCG, CG)",
            "skip, raise, a number (all)",
            "double, single (all)",
            "reciprocal, geometric, none (nDCG, nDCG', DCG)",
            "zero, skip, raise (all)",
            "looks on (RBP)",
        ):
            assert sum(words in line for line in told) == 1, words


@pytest.mark.parametrize(("line", "low", "high"), [
    ("eval qrels.txt run.txt --decimals", 0, 15), ("which 0.5 1 0 --digits", 0, 17), ("which 0.5 1 0 --limit", 1, None),
    ("diff trec_eval.txt ir_measures.txt --limit", 0, None), ("next qrels.txt old.txt new.txt --most", 0, None),
])  # fmt: skip
def test_the_ends_of_a_range_are_taken_and_nothing_beyond(
    capsys: pytest.CaptureFixture[str], line: str, low: int, high: int | None
) -> None:
    for number in (end for end in (low, high) if end is not None):
        assert ndcg(capsys, f"{line} {number}").code in (0, 1)
    for number in (low - 1, *([high + 1] if high else [])):
        assert (ran := ndcg(capsys, f"{line} {number}")).code == 2 and "is not in the range" in ran.err


def test_what_an_option_is_without_being_said_is_what_its_help_says() -> None:
    told = 0
    for name in COMMANDS:
        for option in group.get_command(click.Context(group), name).params:  # type: ignore[union-attr]
            if said := re.search(r"; ([\d.]+)\.$", getattr(option, "help", None) or ""):
                told += 1
                assert option.default in (None, float(said[1])), option
    assert told >= 5


def test_eval_reads_the_standard_input() -> None:
    for arguments in (("qrels.txt", "-"), ("-", "run.txt")):
        text = RUN if arguments[1] == "-" else QRELS
        ran = process("eval", *arguments, "--csv", text_in=text.encode())
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.splitlines()[1].split(b",")[1] == repr(nd.evaluate("qrels.txt", "run.txt")["ndcg"]).encode()


# ---- what is wrong ----


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evl", "ndcg: no such command 'evl'"),
        ("score", "ndcg score: missing argument 'GRADES...'"),
        ("score 3 x", "ndcg: grade number 2 is 'x', not a number"),
        ("score 3 nan", "ndcg: grade number 2 is 'nan', not a number"),
        ("score 3 -1", "ndcg score: -1 is below 0"),
        ("score 3 1e999", "ndcg: grades[1] is inf"),
        ("score 3 -k 0", "ndcg: k is 0"),
        ("score 3 -k 1.5", "ndcg: -k 1.5 is not a whole number"),
        ("score 3 -k 1,2", "ndcg: -k 1,2 is more than one cut-off"),
        ("score 3 -k ' '", "ndcg: -k ' ' is not a whole number"),
        ("which 1 3 -k ' '", "ndcg: -k ' ' is not a whole number"),
        ("eval qrels.txt run.txt -k ''", "ndcg: -k '' is not a whole number"),
        ("score 3 --convention sklern", "ndcg: there is no convention 'sklern'. Did you mean 'sklearn'?"),
        ("score 3 --gain linaer", "ndcg: gain is 'linaer'. Did you mean 'linear'?"),
        ("score 3 --gain 1:x", "ndcg: --gain 1:x: '1:x' is not grade:gain"),
        ("score 3 --ties tied", "ndcg score: invalid value for '--ties'"),
        ("score 3 2 --judged 1", "ndcg: the returned list"),
        ("score 3 2 --scores 1", "ndcg: "),
        ("score 3 2 --scores '2 1' --show", "ndcg score: --show works on grades in ranked order"),
        ("which", "ndcg which: missing argument 'VALUE'"),
        ("which 0.5", "ndcg which: give GRADES, or --qrels and --run"),
        ("which half 1 0", "ndcg: VALUE is 'half', not a number"),
        ("which 0,961 3 2 0", "ndcg: VALUE is '0,961': write 0.961, with a point"),
        ("which 9% 3 2 0 --qrels x", "ndcg which: give GRADES, or --qrels and --run"),
        ("which 1%% 3 2 0", "ndcg: VALUE is '1%%', not a number"),
        ("which 0.5 --qrels qrels.txt", "ndcg: qrels and run belong together"),
        ("eval qrels.txt", "ndcg eval: missing argument 'RUN...'"),
        ("eval qrels.txt missing.txt", "ndcg: missing.txt: No such file"),
        ("eval qrels.txt \x1b[31mred", "ndcg: \\x1b[31mred: No such file"),
        ("eval . run.txt", "ndcg: . is a folder: name the file with the judgements"),
        ("eval run.txt qrels.txt", "ndcg: run.txt, line 1: 6 columns, where a qrels file has 4"),
        ("eval qrels.txt run.txt -m ndgc", "ndcg: there is no measure 'ndgc'. Did you mean 'ndcg'?"),
        ("eval qrels.txt run.txt --json --csv", "ndcg eval: --json or --csv, not both"),
        ("eval - -", "ndcg eval: only one file can be the standard input"),
        ("eval qrels.txt run.txt run.txt", "ndcg: the run 'run.txt' is there twice"),
        ("eval qrels.txt run.txt --wrong", "ndcg eval: no such option '--wrong'"),
        ("completion tcsh", "ndcg completion: invalid value for '{bash|zsh|fish}'"),
    ],
)
def test_one_line_on_stderr_and_exit_code_2(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    ran = ndcg(capsys, line)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(said), ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("bad.txt", RUN.encode() + b"51 Q0 WT03-B12-9 4 n/a me\n", 'bad.txt, line 5: score "n/a" is not a number'),
        ("bad.txt", b"", "bad.txt is empty"),
        ("bad.txt", RUN.encode()[:-9], "bad.txt, line 4: 3 columns"),
        ("bad.txt", b"\x1f\x8b" + b"x" * 50, "bad.txt: the gzip data are damaged"),
        ("bad.txt", RUN.encode() + RUN.encode()[:19], "bad.txt, lines 1 and 5: document d8 comes twice in query 51"),
        ("bad.json", b"[" * 100_000, "bad.json is not a table: it is nested too deep"),
        ("bad.csv", b"a,b\n1,2\n", "bad.csv, line 1: no column for the query"),
    ],
)
def test_a_bad_file_leaves_nothing_on_stdout(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str, data: bytes, said: str
) -> None:
    (folder / name).write_bytes(data)
    for line in (f"eval qrels.txt {name}", f"eval qrels.txt run.txt {name} --csv", f"eval qrels.txt {name} -q --json"):
        ran = ndcg(capsys, line)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"ndcg: {said}")
        assert ran.err.count("\n") == 1


def test_a_file_that_may_not_be_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(file: str, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", file)

    monkeypatch.setattr(source, "open", closed, raising=False)
    ran = ndcg(capsys, "eval qrels.txt run.txt")
    assert (ran.code, ran.out, ran.err) == (2, "", "ndcg: qrels.txt: Permission denied\n")


def test_a_mistake_of_the_program_itself_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("ndcg_lib.commands.eval.compare", broken)
    ran = ndcg(capsys, "eval qrels.txt run.txt")
    assert ran.code == 2
    assert ran.err == "ndcg: a mistake of ndcg itself, KeyError: 'oops' (NDCG_TRACEBACK=1 shows where)\n"


@pytest.mark.parametrize("package", ["click", "rich"])
def test_a_missing_package_is_named_with_its_extra(package: str, folder: Path) -> None:
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(f"raise ModuleNotFoundError('gone', name='{package}')")
    env = {"PYTHONPATH": f"{folder}{os.pathsep}{HERE}"}
    ran = process("score", "3", **env)
    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines() == [f"ndcg: the command line needs {package}: pip install click rich"]


# ---- terminals ----


def test_no_colours_where_nobody_sees_them() -> None:
    assert b"\x1b" not in process("score", "3", "2").stdout


@pytest.mark.skipif(WINDOWS, reason="pseudo-terminals are a thing of Unix")
@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_on_a_terminal_only(environment: dict[str, str], coloured: bool) -> None:
    assert (b"\x1b[" in on_terminal("score", "3", "2", environment=environment)) is coloured


def on_terminal(*arguments: str, environment: dict[str, str]) -> bytes:
    """What a command prints on a terminal."""
    import pty

    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "PYTHONPATH": HERE}
    env.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "ndcg_lib", *arguments]
    child = subprocess.Popen(command, stdout=slave, stderr=slave, stdin=slave, env={**env, **environment})
    os.close(slave)
    seen = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    child.wait(timeout=600)
    os.close(master)
    return seen


def test_any_console_encoding(folder: Path) -> None:
    (folder / "qrels.txt").write_text("frage-ä→ 0 文書 1\n", "utf-8")
    (folder / "run.txt").write_text("frage-ä→ Q0 文書 1 1 me\n", "utf-8")
    for encoding, *arguments in (("ascii", "eval", "qrels.txt", "run.txt", "-q"), ("cp1252", "which", "0.5", "0", "1")):
        ran = process(*arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (ran.returncode, ran.stderr) == (0, b"")
        ran.stdout.decode(encoding)
    ran = process("eval", "qrels.txt", "größe→.txt", PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"ndcg: gr")
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.skipif(WINDOWS, reason="pseudo-terminals are a thing of Unix")
def test_a_bar_shows_what_takes_longer_than_a_second(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    slow = folder / "sitecustomize.py"
    slow.write_text("import ndcg_lib.commands.terminal as p\np.PATIENCE = -1\n")
    path = f"{folder}{os.pathsep}{HERE}"
    assert b"run.txt" in on_terminal("eval", "qrels.txt", "run.txt", environment={"PYTHONPATH": path}).split(b"NDCG")[0]
    assert b"\x1b[?25l" not in on_terminal("eval", "qrels.txt", "run.txt", environment={})


# ---- pipes and signals ----


@pytest.mark.skipif(WINDOWS, reason="shells and signals of Unix")
def test_a_reader_that_stops_early(folder: Path) -> None:
    lines = [f"q{query} 0 d{d} 1\n" for query in range(3000) for d in range(2)]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "run.txt").write_text("".join(f"q{query} Q0 d1 1 1 me\n" for query in range(3000)))
    shell = (
        f"{shlex.quote(sys.executable)} -m ndcg_lib eval qrels.txt run.txt -q -m all | head -1; echo ${{PIPESTATUS[0]}}"
    )
    env = {**os.environ, "PYTHONPATH": HERE}
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, env=env, check=False, timeout=600)
    assert ran.stderr == b""
    assert ran.stdout.split()[-1] in (b"0", b"141")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk() -> None:
    with open("/dev/full", "wb") as full:
        env = {**os.environ, "PYTHONPATH": HERE}
        command = [sys.executable, "-m", "ndcg_lib", "score", "3"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=env, check=False, timeout=600)
    assert ran.returncode == 2
    assert ran.stderr == b"ndcg: No space left on device\n"


@pytest.mark.skipif(WINDOWS, reason="shells and signals of Unix")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("eval - run.txt <&-", 2, "ndcg: the standard input is closed\n"),
        ("eval - run.txt </dev/null", 2, "ndcg: standard input is empty\n"),
        ("score 3 >&-", 2, "ndcg: the standard output is closed\n"),
        ("eval qrels.txt missing.txt 2>&-", 2, ""),
    ],
)
def test_closed_streams(arguments: str, code: int, said: str) -> None:
    env = {**os.environ, "PYTHONPATH": HERE}
    shell = f"{shlex.quote(sys.executable)} -m ndcg_lib {arguments}"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=env, check=False, timeout=600)
    assert (ran.returncode, ran.stdout, ran.stderr) == (code, "", said)


@pytest.mark.skipif(WINDOWS, reason="named pipes and signals of Unix")
def test_control_c(folder: Path) -> None:
    os.mkfifo(folder / "never")
    env = {**os.environ, "PYTHONPATH": HERE}
    command = [sys.executable, "-m", "ndcg_lib", "eval", "qrels.txt", "never"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    writer = os.open(folder / "never", os.O_WRONLY)  # returns when the command has opened it
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=600)
    os.close(writer)
    assert (child.returncode, out, err) == (130, b"", b"")


# ---- compare, gate, diff ----


def test_compare_prints_what_the_library_says(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = nd.compare("qrels.txt", {"old.txt": "old.txt", "new.txt": "new.txt"}, 10)
    said = ndcg(capsys, "compare qrels.txt old.txt new.txt -k 10").out
    assert said.startswith(str(comparison)) and comparison.pairs[0].sentence() in said
    for option, text in (("--markdown", comparison.to_markdown()), ("--latex", comparison.to_latex())):
        assert ndcg(capsys, f"compare qrels.txt old.txt new.txt -k 10 {option}").out == text + "\n"
    as_json = ndcg(capsys, "compare qrels.txt old.txt new.txt -k 10 --json --seed 7 --confidence 0.9").out
    assert (
        json.loads(as_json)
        == nd.compare("qrels.txt", dict(comparison.materials.runs), 10, seed=7, confidence=0.9).as_dict()
    )  # type: ignore[union-attr]


def test_compare_names_runs_and_takes_several_of_one_system(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for line in ("a=old.txt b=old.txt b=new.txt", "a=old.txt 'b=*w.txt' b=run.txt"):
        result = json.loads(ndcg(capsys, f"compare qrels.txt {line} --json").out)
        assert [run["run"] for run in result["runs"]] == ["a", "b"]
        assert len(result["runs"][1]["repeats"]["ndcg"]) == 2
    (folder / "x=y.txt").write_text(NEW)
    result = json.loads(ndcg(capsys, "compare qrels.txt old.txt x=y.txt --against old.txt --json").out)
    assert [each["run"] for each in result["differences"]] == ["x=y.txt"]


def test_compare_draws_and_tells_more(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ran = ndcg(capsys, "compare qrels.txt old.txt new.txt -k 2 --plot heat.svg --kind heat --under --changed 1")
    assert "<svg" in (folder / "heat.svg").read_text("utf8")
    assert "new.txt > old.txt in" in ran.out and "query 53: ndcg@2 1.0000 of new.txt, 0.0000 of old.txt" in ran.out


def test_two_runs_are_compared_with_a_word_on_equal_scores(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (folder / "tied").write_text("1 Q0 a 1 3 me\n1 Q0 b 2 3 me\n")
    (folder / "clear").write_text("1 Q0 a 1 3 me\n1 Q0 b 2 2 me\n")
    said = "tied, P@1: 2 of 2 results share their score with another: 0.0000 (worst) to 1.0000 (best)"
    out = ndcg(capsys, "compare q clear tied -m P@1").out
    assert said in out and "clear, P@1: " not in out


def test_a_figure_without_matplotlib_is_one_line_that_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = ndcg(capsys, "compare qrels.txt old.txt new.txt -k 2 --plot figure.svg")
    assert ran.code == 2 and ran.err == "ndcg: a figure needs matplotlib: pip install matplotlib\n"
    assert not (folder / "figure.svg").exists()


def test_the_action_in_the_docs_runs(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    page = Path(__file__).parents[2] / "book" / "reference"
    assert "{literalinclude} gate.yml" in (page / "api-gate.md").read_text("utf8")
    steps = re.findall(r"- run: (ndcg .*)$", (page / "gate.yml").read_text("utf8"), re.M)
    assert len(steps) == 1
    (folder / "baseline.json").write_text(ndcg(capsys, "gate save qrels.txt run.txt -m nDCG@10=.02").out)
    ran = ndcg(capsys, steps[0].removeprefix("ndcg ").replace('"$GITHUB_STEP_SUMMARY"', "summary.md"))
    assert (ran.code, ran.err) == (0, "") and ran.out.startswith("not worse: every ranking is the baseline's")
    assert (folder / "summary.md").read_text().startswith("**not worse")


def test_diff_lays_the_values_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    same = ndcg(capsys, "diff trec_eval.txt ir_measures.txt")
    assert same.code == 0 and "2 of 2 queries agree to their last digit; 0 differ." in same.out
    ran = ndcg(capsys, "diff trec_eval.txt sklearn.csv")
    assert ran.code == 1
    assert ran.out.splitlines()[1].split() == ["51", "0.8340", "0.9134", "+0.0794"]
    assert "Only sklearn.csv has 1 of the queries: 54." in ran.out
    short = ndcg(capsys, "diff trec_eval.txt sklearn.csv --limit 0").out
    assert short.splitlines()[1].startswith("mean of 2") and "1 differ, 0 are shown." in short
    result = json.loads(ndcg(capsys, "diff trec_eval.txt sklearn.csv --json").out)
    assert result["differ"] == {"51": [0.834, 0.9134]} and result["only"]["sklearn.csv"] == ["54"]


def test_diff_takes_any_name_of_a_measure_and_tells_files_of_one_name_apart(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        (folder / name).mkdir()
        (folder / name / "values.txt").write_text(f"ndcg_cut_10 51 {value}\nmap 51 1\n")
    for measure in ("nDCG@10", "ndcg_cut_10", "ndcg@10"):
        out = ndcg(capsys, f"diff a/values.txt b/values.txt -m {measure}").out
        assert out.splitlines()[0].split() == ["query", "a/values.txt", "b/values.txt", "difference"]
        assert out.splitlines()[1].split() == ["51", "0.5", "0.25", "-0.25"]
    assert ndcg(capsys, "diff a/values.txt trec_eval.txt -m ndcg@10").out.split()[1:3] == [
        "values.txt",
        "trec_eval.txt",
    ]


def test_diff_by_hand(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """A hundredth may be rounding; the largest difference comes first, and the mean is of all that both have."""
    one = {"q1": "0.50", "q2": "0.30", "q3": "0.90", "q4": "0.10", **{f"r{at}": "1.00" for at in range(6)}}
    two = {"q1": "0.51", "q2": "0.20", "q3": "0.95", "q4": "0.40", "s": "1.00"}
    for name, values in (("a", one), ("b", two), ("c", {"q1": "0.5", "s": "0.1234567890123456789012345"})):
        (folder / name).write_text("".join(f"ndcg {query} {value}\n" for query, value in values.items()))
    ran = ndcg(capsys, "diff a b --limit 2")
    assert ran.code == 1 and [line.split() for line in ran.out.splitlines()[:4]] == [
        ["query", "a", "b", "difference"], ["q4", "0.10", "0.40", "+0.3"], ["q2", "0.30", "0.20", "-0.1"],
        ["mean", "of", "4", "0.4500", "0.5150", "+0.065"],
    ]  # fmt: skip
    assert ran.out.splitlines()[4:] == [
        "1 of 4 queries agree to their last digit; 3 differ, 2 are shown.",
        "Only a has 6 of the queries: r0, r1, r2, r3, r4, ….", "Only b has 1 of the queries: s.",
    ]  # fmt: skip
    assert "3 differ.\n" in ndcg(capsys, "diff a b --limit 3").out
    told = json.loads(ndcg(capsys, "diff a b --json").out)
    assert (told["measure"], told["queries"], [*told["differ"]]) == (["ndcg", "ndcg"], 4, ["q4", "q2", "q3"])
    (folder / "plain").write_text("q1 0.5\nq2 0.30\n")
    assert ndcg(capsys, "diff a plain").out.startswith("query ")
    assert ndcg(capsys, "diff b c").out.splitlines()[1].split() == ["s", "1.00", "0.123457", "-0.8765"]
    assert ndcg(capsys, "diff a c").code == 0 and "only" in json.loads(ndcg(capsys, "diff a c --json").out)


def test_diff_finds_the_conventions_behind_two_files(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for name in ("burges", "jarvelin-kekalainen"):
        values = nd.evaluate("qrels.txt", "new.txt", convention=name).per_query()
        (folder / f"{name}.json").write_text(json.dumps({"ndcg": values}))
    ran = ndcg(capsys, "diff burges.json jarvelin-kekalainen.json --qrels qrels.txt --run new.txt")
    assert "burges.json: NDCG" in ran.out
    assert ("They differ in" in ran.out) is (ran.code == 1)


@pytest.mark.parametrize(("ours", "theirs", "names"), [
    ({}, {"gain": "exponential", "ideal": "returned"}, {"gain": "gain (", "ideal": "ideal (judged and returned"}),
    ({"gain": "exponential"}, {"ideal": "the first ten"}, {"gain": "gain (exp", "ideal": "ideal-from-top-k (theirs"}),
    ({"ideal": "returned"}, {"cut": 5}, {"ideal": "ideal (returned and judged", "cut": "cut (none and 5"}),
    ({"cut": 5, "gain": "exponential"}, {"cut": 5, "gain": "exponential"}, {}),
])  # fmt: skip
def test_diff_names_every_cause_and_the_largest_first(
    ours: Any, theirs: Any, names: dict[str, str], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Values by hand; a cause is as large as the change of a query's value where it alone is exchanged."""
    draw = random.Random(3)
    judged = {f"{q}": {f"d{at}": draw.choice([0, 0, 1, 2, 3]) for at in range(30)} for q in range(12)}
    lists = {q: draw.sample(sorted(each), 15) for q, each in judged.items()}
    (folder / "q.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, each in judged.items() for d, g in each.items()))
    lines = (f"{q} Q0 {d} 0 {-at} me\n" for q, each in lists.items() for at, d in enumerate(each))
    (folder / "r.txt").write_text("".join(lines))

    def total(grades: list[int], gain: str, cut: int) -> float:
        gains = [2**g - 1 if gain == "exponential" else g for g in grades[:cut]]
        return sum(g / math.log2(rank + 1) for rank, g in enumerate(gains, 1))

    def by_hand(gain: str = "linear", ideal: str = "judged", cut: int | None = None) -> dict[str, float]:
        k, found = cut or (10 if names.keys() == {"gain", "ideal"} else 15), {}
        for q, each in judged.items():
            grades = [each[d] for d in lists[q]]
            pool = {"judged": [*each.values()], "returned": grades, "the first ten": grades[:k]}[ideal]
            found[q] = total(grades, gain, k) / total(sorted(pool, reverse=True), gain, k)
        return found

    measure = "ndcg@10" if names.keys() == {"gain", "ideal"} else "ndcg"
    for name, how in (("ours.json", ours), ("theirs.json", theirs)):
        (folder / name).write_text(json.dumps({measure: by_hand(**how)}))
    out = ndcg(capsys, "diff ours.json theirs.json --qrels q.txt --run r.txt").out.splitlines()[-1]
    plain = {"gain": "linear", "ideal": "judged", "cut": None}

    def size(cause: str) -> float:
        return sum(
            abs(before - after)
            for one, other in ((plain | ours, plain | theirs), (plain | theirs, plain | ours))
            for before, after in zip(
                by_hand(**one).values(), by_hand(**one | {cause: other[cause]}).values(), strict=True
            )
        )

    told = [names[cause] for cause in sorted(names, key=size, reverse=True)]
    places = [out.find(text) for text in told]
    assert places == sorted(places) and -1 not in places and out.count("(") == len(told), out
    assert told or out == "Both are one definition."


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("ndcg_cut_5  \tq1\t0.5\nndcg_cut_5\tall\t0.5\n", {"ndcg@5": {"q1": "0.5"}}),
        ("q1 nDCG@5 0.50\nq1 RR 1\n", {"ndcg@5": {"q1": "0.50"}, "rr": {"q1": "1"}}),
        ("q1 0.5\nq2 0.25\n", {"": {"q1": "0.5", "q2": "0.25"}}),
        ("query;ndcg@5;rr\nq1;0.5;1\n", {"ndcg@5": {"q1": "0.5"}, "rr": {"q1": "1"}}),
        ("query,ndcg@5\nq1,0.5\nmean,0.25\n", {"ndcg@5": {"q1": "0.5"}}),
        ("query_id,measure,value\nq1,nDCG@5,0.5\n", {"ndcg@5": {"q1": "0.5"}}),
        ('{"ndcg@5": {"q1": 0.50}}', {"ndcg@5": {"q1": "0.50"}}),
        ('{"q1": {"ndcg@5": 0.5}, "q2": {"ndcg@5": 1}}', {"ndcg@5": {"q1": "0.5", "q2": "1"}}),
        ('{"q1": 0.5}', {"": {"q1": "0.5"}}),
        ('{"runs": [{"run": "a", "per_query": {"q1": {"ndcg@5": 0.5}}}]}', {"ndcg@5": {"q1": "0.5"}}),
        ("runid all me\nnum_q all 1\nmap q1 0.5\n", {"map": {"q1": "0.5"}}),
        (
            "    nDCG@5      RR\nq1    0.5  1.0\nq2      1  0.5\na.txt 0.7  0.75\nnDCG@5: gain g;\n2 judged queries.\n",
            {"ndcg@5": {"q1": "0.5", "q2": "1"}, "rr": {"q1": "1.0", "q2": "0.5"}},
        ),
    ],
)
def test_what_tools_print_per_query_is_read(content: str, found: dict[str, Any]) -> None:
    assert read_values(io.BytesIO(content.encode())) == found


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a b c d\n", "4 columns, but measure, query and value are expected"),
        ("ndcg 51 x\n", "holds no values of queries"),
        ("ndcg 51 0.5\nndcg 51 0.5\n", "query 51 comes twice in ndcg"),
        ("a,b\n1,2\n", "no column of queries among a, b"),
        ("{", "not JSON"),
    ],
)
def test_what_is_no_output_per_query(content: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        read_values(io.BytesIO(content.encode()))


def test_diff_needs_something_in_common(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "other.txt").write_text("rr 51 1\nap 51 1\n")
    (folder / "far.txt").write_text("ndcg_cut_10 99 1\n")
    assert "choose one with --measure" in ndcg(capsys, "diff trec_eval.txt other.txt").err
    assert "trec_eval.txt has no rr, but ndcg@10" in ndcg(capsys, "diff trec_eval.txt other.txt -m rr").err
    assert "have no query in common" in ndcg(capsys, "diff trec_eval.txt far.txt").err
    assert ndcg(capsys, "diff trec_eval.txt far.txt --run run.txt").code == 2
    for form in ("", "--json"):
        (folder / "two.txt").write_text(ndcg(capsys, f"eval qrels.txt old.txt new.txt -k 2 -q {form}").out)
        assert "two.txt holds the values of several runs" in ndcg(capsys, "diff trec_eval.txt two.txt").err


# ---- completion ----


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_completion_script(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert "_NDCG_COMPLETE" in ndcg(capsys, f"completion {shell}").out


def test_commands_options_and_presets_are_completed() -> None:
    ran = process(_NDCG_COMPLETE="bash_complete", COMP_WORDS="ndcg eval --conv", COMP_CWORD="2")
    assert b"--convention" in ran.stdout, ran.stderr
    ran = process(_NDCG_COMPLETE="bash_complete", COMP_WORDS="ndcg eval --convention sk", COMP_CWORD="3")
    assert ran.stdout.split() == [b"plain,sklearn", b"plain,sklearn_ignore_ties"]
