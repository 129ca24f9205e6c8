"""The commands of `ndcg`, a module each. A new one needs its line in `group.COMMANDS`."""
