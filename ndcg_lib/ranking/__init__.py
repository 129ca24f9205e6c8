"""Many queries at once, ranked by score: what `ndcg_scores` is made of.

`table` reads the input, `blocks` cuts it, `worth` and `pool` turn grades into gains, `sorting` and `ties` rank them,
`scoring` puts a block together.
"""
