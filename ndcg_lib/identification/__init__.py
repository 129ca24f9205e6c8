"""Which NDCG is it? From a number and the grades, or from a function, to the definitions and slips that it follows."""

from ndcg_lib.identification.answers import Answer, Answers, which
from ndcg_lib.identification.card import Card

__all__ = ["Answer", "Answers", "Card", "which"]
