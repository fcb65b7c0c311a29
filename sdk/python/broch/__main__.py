"""python -m broch: the program."""
from ._program import main

main()
