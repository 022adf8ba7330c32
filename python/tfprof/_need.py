"""Imports of packages that are not installed with this one."""

import importlib
from typing import Any

# Packages whose name for pip or for people is another one.
_PIP = {"google.protobuf": "protobuf"}
_PEOPLE = {"google.protobuf": "protobuf", "keras": "Keras", "tensorflow": "TensorFlow"}


def need(package: str, what: str, module: str = "") -> Any:
    """The package, or a module of it. If the package is missing, the error says what needs
    it and how to install it."""
    try:
        found = importlib.import_module(package)
    except ModuleNotFoundError as error:
        if not f"{package}.".startswith(f"{error.name}."):
            raise  # it is there, and lacks something else
        raise ModuleNotFoundError(
            f"{what} needs {_PEOPLE.get(package, package)}: "
            f"python -m pip install {_PIP.get(package, package)}", name=package) from None
    return importlib.import_module(f"{package}.{module}") if module else found
