"""How an answer is called, compared with the right one, explained, and told."""
