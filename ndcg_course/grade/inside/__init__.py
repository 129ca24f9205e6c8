"""What runs on the student's side. Standard library only: these files are loaded where the kit is not."""
