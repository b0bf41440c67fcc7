from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Optional, Protocol, Union


class Store(Protocol):
    """Persists a client's data across restarts of the game. Each player needs a separate store.

    The data is a dict of JSON values: `cursors`, `notifications`, `queue`, and of a guest `wallet`, `session` and
    `deviceSecret`, which authenticate the player. `launcher` has the data of a player who came from a launcher.
    """

    def load(self) -> Optional[dict[str, Any]]: ...

    def save(self, saved: dict[str, Any]) -> None:
        """Called after listeners have handled events, at most a few times a second, and with every queued call."""


class FileStore:
    """A JSON file, readable by its owner only."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.path.abspath(path)

    def load(self) -> Optional[dict[str, Any]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def save(self, saved: dict[str, Any]) -> None:
        # Written to a temporary file (which mkstemp makes with mode 0600) and renamed, so that a crash leaves the old or
        # the new content.
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


class LauncherStore:
    """The part of a store for the player of a launcher, apart from the guest's."""

    def __init__(self, store: Store, wallet: str) -> None:
        self._store = store
        self._wallet = wallet

    def load(self) -> Optional[dict[str, Any]]:
        saved = (self._store.load() or {}).get("launcher") or {}
        return saved if saved.get("wallet") == self._wallet else None

    def save(self, saved: dict[str, Any]) -> None:
        launcher = {**saved, "wallet": self._wallet}
        self._store.save({**(self._store.load() or {}), "launcher": launcher})
