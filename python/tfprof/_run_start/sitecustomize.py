"""Python imports this before the script of ``tfprof run``, which puts this folder on PYTHONPATH.

It undoes that, so that programs started by the script are not recorded, imports the
sitecustomize that it hides, if there is one, and begins to watch.
"""


def _begin():
    import os
    import sys
    here = os.path.dirname(os.path.abspath(__file__))
    plan = os.environ.pop("TFPROF_RUN", None)
    path = os.environ.pop("TFPROF_RUN_PYTHONPATH", None)
    if path is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = path
    sys.path[:] = [one for one in sys.path if os.path.abspath(one or ".") != here]
    sys.path_importer_cache.pop(here, None)
    mine = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = mine    # Python expects it
    if plan is None:
        return
    package = os.path.dirname(os.path.dirname(here))
    is_there = package in sys.path
    try:
        if not is_there:
            sys.path.append(package)
        from tfprof import _run_inside
        _run_inside.begin(plan)
    except Exception as error:   # the program runs on
        print(f"tfprof run: nothing is recorded: {error}", file=sys.stderr)
    finally:
        if not is_there and package in sys.path:
            sys.path.remove(package)


_begin()
