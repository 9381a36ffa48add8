"""`python -m poinsot`: the command line, where no script `poinsot` is on the path."""

from poinsot.app.cli import main

if __name__ == "__main__":
    main()
