"""`python -m ndcg_lib.exercises` is `ndcg exercises`."""

from ndcg_lib.exercises.commands import exercises

exercises(prog_name="ndcg exercises")
