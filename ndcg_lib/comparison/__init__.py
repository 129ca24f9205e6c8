"""Is B better than A? Tables of comparisons, their statistics, what could be wrong with them, the gate."""
