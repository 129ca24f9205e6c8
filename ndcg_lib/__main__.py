"""`python -m ndcg_lib` is `ndcg`."""

import sys

from ndcg_lib.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
