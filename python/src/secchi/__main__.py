"""`python -m secchi`: the program with these arguments."""

import os
import subprocess
import sys

from secchi._program import find_program

if __name__ == "__main__":
    command = [find_program(), *sys.argv[1:]]
    # Windows has no exec: it would return to the shell before the program ends.
    if sys.platform == "win32":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)
