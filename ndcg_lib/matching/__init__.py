"""What a run returned of what was judged: the grade, the rank and the tied neighbours of each judged document."""
