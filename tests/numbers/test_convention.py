"""A convention bundles the choices: it checks itself and never changes; the presets give their libraries' numbers."""

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest

import ndcg_lib as nd

RANKING, JUDGED = [3, 0, 2], [3, 0, 2, 3, 1]


def test_a_convention_does_what_its_keywords_do() -> None:
    convention = nd.Convention(gain="exponential", discount="original", base=3, k=2, empty=1.0, ideal="returned")
    keywords: dict[str, Any] = {"gain": "exponential", "discount": "original", "base": 3}
    ndcg = nd.ndcg(RANKING, 2, ideal="returned", empty=1.0, **keywords)
    assert nd.ndcg(RANKING, judged=JUDGED, convention=convention) == ndcg
    assert nd.dcg(RANKING, convention=convention) == nd.dcg(RANKING, 2, **keywords)
    assert nd.idcg(JUDGED, convention=convention) == nd.idcg(JUDGED, 2, **keywords)
    assert nd.cg(RANKING, convention=convention) == nd.cg(RANKING, 2, gain="exponential")
    assert nd.ndcg([0, 0], convention=convention) == 1


def test_the_defaults_of_the_functions_are_those_of_a_convention() -> None:
    defaults = nd.Convention().choices()
    for function in (nd.cg, nd.dcg, nd.idcg, nd.ndcg):
        for name, parameter in inspect.signature(function).parameters.items():
            if name in defaults:
                assert parameter.default == defaults[name], (function.__name__, name)


def test_a_keyword_beside_a_convention_wins() -> None:
    assert nd.ndcg(RANKING, convention="lightgbm", gain="linear") == nd.ndcg(RANKING)
    assert nd.ndcg([0], convention="lightgbm", empty=0.0) == 0
    assert nd.ndcg(RANKING, judged=JUDGED, convention="sklearn", ideal="judged") == nd.ndcg(RANKING, judged=JUDGED)


def test_the_k_of_the_call_wins() -> None:
    at_1 = nd.Convention(k=1)
    grades = [1, 3, 2]
    assert nd.ndcg(grades, convention=at_1) == nd.ndcg(grades, 1)
    assert nd.ndcg(grades, 2, convention=at_1) == nd.ndcg(grades, 2)
    assert nd.ndcg(grades, k=2, convention=at_1) == nd.ndcg(grades, 2)
    assert nd.ndcg(grades, None, convention=at_1) == nd.ndcg(grades, k=None, convention=at_1) == nd.ndcg(grades)
    assert nd.dcg(grades, 2, convention=at_1) == nd.dcg(grades, 2)


def test_gain_and_discount_of_a_convention_can_be_functions() -> None:
    convention = nd.Convention(gain={0: 0, 2: 5, 3: 50}, discount=lambda i: 1 / i)
    assert nd.dcg(RANKING, convention=convention) == 50 + 5 / 3


# --- it checks itself, and never changes


@pytest.mark.parametrize(
    ("choice", "wrong", "words"),
    [
        ("gain", "exp", "gain is 'exp'. Did you mean 'exponential'?"),
        ("gain", 3, "gain is 3. It can be"),
        ("discount", "log", "discount is 'log'. Did you mean 'modern'?"),
        ("discount", {1: 1}, "discount is {1: 1}. It can be"),
        ("base", 1, "base is 1: the base of the logarithm must be a number above 1"),
        ("ideal", "all", "ideal is 'all'. Did you mean 'judged'?"),
        ("k", 0, "k is 0, but at least one rank must count"),
        ("k", 1.5, "k is 1.5, not a whole number"),
        ("ties", "mean", "ties is 'mean'. Did you mean 'average'?"),
        ("empty", "drop", "empty is 'drop'. Did you mean 'skip'?"),
        ("empty", None, "empty is None."),
        ("missing", "drop", "missing is 'drop'. Did you mean 'skip'?"),
        ("averaging", "macro", "averaging is 'macro'. Did you mean 'mean'?"),
        ("ties", ["average"], "ties is ['average']. It can be"),
    ],
)
def test_a_wrong_choice_is_refused_when_the_convention_is_made(choice: str, wrong: Any, words: str) -> None:
    for make in (nd.Convention, nd.CONVENTIONS["sklearn"].but):
        with pytest.raises(ValueError) as caught:
            make(**{choice: wrong})
        assert words in str(caught.value)


def test_a_convention_never_changes() -> None:
    gain = {0: 0.0, 3: 1.0}
    convention = nd.Convention(gain=gain)
    with pytest.raises(dataclasses.FrozenInstanceError):
        convention.k = 3  # type: ignore[misc]
    gain[3] = 100.0
    assert nd.cg([3], convention=convention) == 1


def test_but_makes_another_convention() -> None:
    preset = nd.CONVENTIONS["xgboost"]
    assert preset.but(k=None).k is None
    assert preset.k == 32
    assert preset.but() == preset


@pytest.mark.parametrize(
    "convention", [nd.Convention(), nd.Convention(gain={0: 0, 1: 2}), *nd.CONVENTIONS.values()], ids=str
)
def test_a_convention_travels_to_other_processes(convention: nd.Convention) -> None:
    assert pickle.loads(pickle.dumps(convention)) == convention
    assert copy.deepcopy(convention) == convention


# --- the card


def test_the_card_says_every_choice_in_one_line() -> None:
    assert str(nd.Convention()) == (
        "NDCG: gain g; discount 1/log2(i+1); ideal over all judged; no relevant document: 0; ties averaged;"
        " judged but no results: 0; mean over queries"
    )
    other = nd.Convention(
        gain="exponential",
        discount="original",
        base=10,
        ideal="returned",
        k=5,
        ties="worst",
        empty="raise",
        missing="skip",
    )
    assert other.card() == (
        "NDCG@5: gain 2^g - 1; discount 1/max(1, log10(i)); ideal over the returned list;"
        " no relevant document: an error; ties worst first; judged but no results: left out; mean over queries"
    )


# --- the presets give the numbers of their libraries


@pytest.mark.parametrize("name", nd.CONVENTIONS)
def test_a_preset_says_its_name_and_whom_it_stands_for(name: str) -> None:
    preset = nd.CONVENTIONS[name]
    assert preset.name == name
    assert len(preset.stands_for) > 8
