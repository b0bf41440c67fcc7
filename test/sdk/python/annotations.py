"""Resolves every annotation of the SDK in the folder given as argument; prints how many functions there are."""

import ast
import importlib
import inspect
import pathlib
import sys
import typing

sys.path.insert(0, sys.argv[1])
import gantry.client  # noqa: E402

count = 0
for file in sorted(pathlib.Path(sys.argv[1], "gantry").glob("*.py")):
    ast.parse(file.read_text(), str(file), feature_version=(3, 9))
    module = importlib.import_module("gantry" if file.stem == "__init__" else f"gantry.{file.stem}")
    for owner in [module, *(one for one in vars(module).values() if inspect.isclass(one))]:
        if owner is not module and owner.__module__ != module.__name__:
            continue
        if owner is not module:
            typing.get_type_hints(owner)
        for one in vars(owner).values():
            function = one.fget if isinstance(one, property) else one
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                # Imported for type checkers only, because the modules import each other.
                typing.get_type_hints(function, None, {"GantryClient": gantry.client.GantryClient})
                count += 1
print(count)
