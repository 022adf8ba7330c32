"""``python -m tfprof``: the program, with all its commands."""

import sys


def main() -> int:
    """Returns the exit status, unless another program takes the place of this process."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["ui"]:
        from tfprof._show import run
        run(arguments[1:])
    from tfprof import _programs
    program = _programs.find("tfprof")
    if not program:
        print("tfprof: this package was built without the program tfprof: install it again, or put "
              "the program on PATH", file=sys.stderr)
        return 1
    _programs.run(program, arguments)


if __name__ == "__main__":
    sys.exit(main())
