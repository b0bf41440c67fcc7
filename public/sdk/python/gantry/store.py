from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Optional, Protocol


class Store(Protocol):
    """Keeps what a client needs over a restart of the game: one for each player, since nothing of it is another's.

    What is saved is a dict of JSON values: `cursors`, `notifications`, `queue`, and a guest's `deviceSecret`, which
    is the player's password.
    """

    def load(self) -> Optional[dict[str, Any]]: ...

    def save(self, saved: dict[str, Any]) -> None:
        """Called when the listeners have handled events, a few times a second at most, and with every queued call."""


class FileStore:
    """A JSON file that only its owner reads."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)

    def load(self) -> Optional[dict[str, Any]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def save(self, saved: dict[str, Any]) -> None:
        # Written beside it and put in its place: a crash leaves the one or the other.
        descriptor, name = tempfile.mkstemp(dir=os.path.dirname(self._path))
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(saved, file)
        os.replace(name, self._path)


class MemoryStore:
    def __init__(self) -> None:
        self._saved: Optional[dict[str, Any]] = None

    def load(self) -> Optional[dict[str, Any]]:
        return self._saved

    def save(self, saved: dict[str, Any]) -> None:
        self._saved = saved
