"""No wrong function with full points: every one-step mutant of a solution is rejected by its task's inputs.

A mutant that passes must give the solution's answers on all small inputs that the statement allows, and on drawn ones.
"""

import itertools
import json
import pickle
from dataclasses import replace

import pytest
from sweeps import some_of
from tasks.domains import INPUTS
from tasks.mutated import inputs, mutants, same
from wrong_answers.cells import solved

from ndcg_course.explain.faults import fault
from ndcg_course.explain.outcome import Outcome, seen
from ndcg_course.explain.shown import Shown
from ndcg_course.notebook import solutions
from ndcg_course.tasks import assignments
from ndcg_course.tasks.task import FunctionTask
from ndcg_lib.identification.calling import Stopped, within

SEEDS = "check", 1, 2  # of the notebook, and two as a grader draws them
FUNCTIONS = {
    task.name: (task, assignment.name)
    for assignment in assignments().values()
    for task in assignment.tasks
    if isinstance(task, FunctionTask)
}


def _asked(function, text):
    """What a function gives for arguments kept as a text, or the kind of its error; and the arguments afterwards."""
    mine = json.loads(text)
    try:
        return function(*mine), mine
    except (Exception, RecursionError) as error:
        return f"raises {'ValueError' if isinstance(error, ValueError) else 'another error'}", mine


def _refused(task, function, lots):
    """Whether the inputs of each seed show it, or it has no end."""
    try:
        return within(1, lambda: all(rejected(task, function, cases) for cases in lots))
    except Stopped:
        return True


def rejected(task, function, cases):
    """Whether one of the cases shows it to the check; the last that did so is tried first."""
    for at, (case, target, kept) in enumerate(cases):
        outcome = _outcome(function, case, kept)
        if outcome.changed is not None or fault(outcome, target, task.tolerance):
            cases.insert(0, cases.pop(at))
            return True
    return False


def _outcome(function, case, kept):
    """As the check sees a call, with one limit of time for all of them and a quicker copy of the arguments."""
    mine = pickle.loads(kept)
    try:
        outcome = seen(function(*mine))
    except (Exception, RecursionError) as error:
        return Outcome(error="ValueError" if isinstance(error, ValueError) else type(error).__name__, says=str(error))
    return replace(outcome, changed=mine if mine != list(case.args) else None)


def survivors(name, first):
    """Of every third mutant, what passes for one of the seeds and is wrong: what was changed, and an input for it."""
    task, assignment = FUNCTIONS[name]
    names = solved(assignment)
    lots = [
        [(case, task.target(case.args), pickle.dumps(list(case.args))) for case in all_of]
        for all_of in ([*Shown.by(name, names[name]).examples(), *task.cases(seed)] for seed in SEEDS)
    ]
    asked = [(text, _asked(names[name], text)) for text in dict.fromkeys(map(json.dumps, inputs(INPUTS[name])))]
    found = []
    for told, mutant in itertools.islice(mutants(name, solutions()[name], names), first, None, 3):
        if _refused(task, mutant, lots):
            continue
        found += within(60, lambda mutant=mutant, told=told: _shown_wrong(told, mutant, asked))
    return found


def _shown_wrong(told, mutant, asked):
    for text, (right, after) in asked:
        given, then = _asked(mutant, text)
        if then != after or not same(given, right):
            return [(told, text, given, right)]
    return []


@pytest.mark.parametrize("name", some_of(sorted(FUNCTIONS), one_in=20))
def test_no_mutant_of_a_solution_passes_that_is_wrong(name):
    assert survivors(name, 0) == []


@pytest.mark.weekly
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_none_of_the_others_does(name):
    assert survivors(name, 1) == survivors(name, 2) == []
