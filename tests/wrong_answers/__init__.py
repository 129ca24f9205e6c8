"""Answers as students write them, as cells of notebooks: wrong ones, right ones, and odd ones that are right."""
