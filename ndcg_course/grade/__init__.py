"""Grading a class: student code runs locked in, and what it gives back is a claim that is judged outside."""
