"""`python -m cffgraph`: the same as the command `cffgraph`."""

from .cli.main import main

if __name__ == "__main__":
    main()
