"""``python -m tfprof``: the commands of the program that need Python packages."""

import sys

from tfprof.fleet._command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
