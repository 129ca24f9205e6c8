"""`python -m ndcg_course.exercises` is `ndcg exercises`."""

import sys

from ndcg_lib.cli import main

if __name__ == "__main__":
    sys.exit(main(["exercises", *sys.argv[1:]]))
