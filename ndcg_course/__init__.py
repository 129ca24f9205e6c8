"""A course on NDCG: assignments, checks that name the mistake, and the grading of a class."""

__version__ = "0.1.0"
