"""One module per assignment: what each of its tasks asks, accepts and recognises."""
