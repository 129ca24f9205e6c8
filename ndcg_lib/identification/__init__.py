"""Which NDCG is it? From a number and the grades to the definitions and slips that give this number."""

from ndcg_lib.identification.answers import Answer, Answers, which

__all__ = ["Answer", "Answers", "which"]
