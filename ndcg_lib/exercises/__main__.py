"""`python -m ndcg_lib.exercises` is `ndcg exercises`."""

import sys

from ndcg_lib.cli import main

if __name__ == "__main__":
    sys.exit(main(["exercises", *sys.argv[1:]]))
