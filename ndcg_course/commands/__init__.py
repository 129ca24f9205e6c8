"""The commands that a course adds to `ndcg`, a module each; `ndcg_course/pyproject.toml` names them."""
