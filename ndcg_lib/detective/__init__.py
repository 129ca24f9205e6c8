"""Which NDCG is it? From a number and the grades to the definitions and slips that give this number."""

from ndcg_lib.detective.answers import Answer, Answers
from ndcg_lib.detective.search import which

__all__ = ["Answer", "Answers", "which"]
