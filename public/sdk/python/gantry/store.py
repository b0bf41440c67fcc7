from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Mapping, Optional, Protocol, Union, cast

from .types import OwnPlayer


class Store(Protocol):
    """Persists a client's data across restarts of the game. Each player needs a separate store.

    The data is a dict of JSON values: `cursors`, `notifications`, `queue`, the player's `wallet` and `userId`, and
    `session` and a guest's `deviceSecret`, which authenticate the player. `launcher` has the data of a player who came
    from a launcher, `previous` that of the player before another one signed in.
    """

    def load(self) -> Optional[dict[str, Any]]: ...

    def save(self, saved: dict[str, Any]) -> None:
        """Called after listeners have handled events, at most a few times a second, and with every queued call."""


class FileStore:
    """A JSON file, readable by its owner only. `load` raises ValueError if it is damaged: it is never overwritten."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.path.abspath(path)

    def load(self) -> Optional[dict[str, Any]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                saved = json.load(file)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise ValueError(f"The player who is saved in {self._path} cannot be read: repair or remove it: {error}") from None
        return cast(Optional[dict[str, Any]], saved)

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


#: What is kept of a player under `launcher` and `previous`.
PART = ("wallet", "userId", "cursors", "notifications", "queue")


def is_saved_for(saved: Mapping[str, Any], player: OwnPlayer) -> bool:
    """Whether this was saved for the player, perhaps before the player got a wallet."""
    return saved.get("wallet") == player["wallet"] or saved.get("userId") == player["userId"]


def saved_for(saved: dict[str, Any], player: OwnPlayer) -> dict[str, Any]:
    """What is saved for a player who has signed in on this device; what is saved for another one is set aside."""
    if "wallet" not in saved or is_saved_for(saved, player):
        return saved
    rest = {name: value for name, value in saved.items() if name not in (*PART, "session", "previous")}
    previous = saved.get("previous") or {}
    own = previous if is_saved_for(previous, player) else {}
    return {**rest, **own, "previous": {name: saved[name] for name in PART if name in saved}}


class LauncherStore:
    """The part of a store for the player of a launcher, apart from the guest's."""

    def __init__(self, store: Store, player: OwnPlayer) -> None:
        self._store = store
        self._player = player

    def load(self) -> Optional[dict[str, Any]]:
        saved = (self._store.load() or {}).get("launcher") or {}
        return saved if is_saved_for(saved, self._player) else None

    def save(self, saved: dict[str, Any]) -> None:
        launcher = {name: saved[name] for name in PART if name in saved}
        self._store.save({**(self._store.load() or {}), "launcher": launcher})
