"""What is made of the sources: notebooks, releases, question banks, exams, the syllabus."""
