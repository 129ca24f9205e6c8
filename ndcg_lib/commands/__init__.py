"""The commands of `ndcg`, a module each. A new one needs its line in `group.COMMANDS`; another
installed package adds its own through entry points called `ndcg.commands`."""
