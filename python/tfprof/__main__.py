"""``python -m tfprof``: the commands of the program that need Python packages, and ``ui``."""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] == ["ui"]:
        from tfprof._show import run
        run(sys.argv[2:])
    from tfprof.fleet._command import main
    sys.exit(main(sys.argv[1:]))
