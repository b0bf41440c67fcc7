from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Callable, Optional

from .errors import GantryError
from .event_receiver import added
from .follower import Follower
from .types import LeaderboardRow

if TYPE_CHECKING:
    from .client import GantryClient

_log = logging.getLogger("gantry")

#: The first rows of a leaderboard, whose changes the server sends.
MOST_ROWS = 50


class Leaderboard:
    """A leaderboard of the player's game."""

    def __init__(self, read: Callable[[], list[LeaderboardRow]]) -> None:
        self._read = read
        self._followers: list[Follower] = []
        self._rows: list[LeaderboardRow] = []
        self._is_loaded = False
        self._version = 0
        self._lock = threading.RLock()  # rows are also read in the thread of a caller

    def follow(self, listener: Callable[[list[LeaderboardRow]], Any], limit: int = 10) -> Callable[[], None]:
        """Calls the listener with the first `limit` rows, best first: before this returns, and after every change.

        There are at most 50 rows; a row has its `position`, from 1. Returns a function that stops it. Raises GantryError
        when the rows cannot be read.
        """
        follower = Follower(lambda rows: listener(rows[:limit]))
        with self._lock:
            if not self._is_loaded:
                self._load()
            stop = added(self._followers, follower)
            version, rows = self._version, list(self._rows)
        follower.show(version, rows)
        return stop

    def _change(self, change: Any) -> None:
        with self._lock:
            for row in change["rows"]:
                at = row["position"] - 1
                if at > len(self._rows):  # those before it were never sent
                    self._is_loaded = False
                self._rows[at : at + 1] = [row]
            del self._rows[change["length"] :]
            self._version += 1
            is_complete = self._is_loaded and len(self._rows) == change["length"]
        if is_complete:
            self._show()
        else:
            self._reload()

    def _reload(self) -> None:
        """Changes are not replayed after a reconnect, and a new season begins empty."""
        self._is_loaded = False
        if not self._followers:
            return
        try:
            with self._lock:
                self._load()
        except GantryError as error:  # until the next change or reconnect
            _log.debug("a leaderboard could not be read: %r", error)
            return
        self._show()

    def _load(self) -> None:
        self._rows = self._read()
        self._is_loaded = True
        self._version += 1

    def _show(self) -> None:
        with self._lock:
            version, rows, followers = self._version, list(self._rows), list(self._followers)
        for follower in followers:
            follower.show(version, rows)


class Leaderboards:
    """The leaderboards that a client follows."""

    def __init__(self, client: "GantryClient") -> None:
        self._client = client
        self._boards: dict[str, Leaderboard] = {}
        self._lock = threading.Lock()
        #: The game's public stream.
        self._stream: Optional[str] = None
        self._is_subscribed = False

    def get(self, name: str) -> Leaderboard:
        with self._lock:
            if not self._boards:
                self._listen()
            return self._boards.setdefault(name, Leaderboard(lambda: self._read(name)))

    def _listen(self) -> None:
        client = self._client
        client.on("leaderboards patched", lambda change, meta: self._changed("default", change, meta))
        client.on(
            "named-leaderboards patched",
            lambda change, meta: self._changed(change["leaderboard"], change, meta),
        )
        client.on("leaderboard-seasons ended", self._season_ended)
        client.on_status(self._status_changed)

    def _changed(self, name: str, change: Any, meta: dict[str, Any]) -> None:
        board = self._boards.get(name)
        if board is not None and meta["stream"] == self._stream:
            board._change(change)

    def _season_ended(self, season: dict[str, Any], meta: dict[str, Any]) -> None:
        board = self._boards.get(season["leaderboard"])
        if board is not None and meta["stream"] == self._stream:
            board._reload()

    def _status_changed(self, status: str) -> None:
        if status == "live":
            self._is_subscribed = False
            for board in list(self._boards.values()):
                board._reload()

    def _read(self, name: str) -> Any:
        client = self._client
        if name == "default" or not self._is_subscribed:
            answer = client.subscribe()
            self._stream = answer["stream"]
            self._is_subscribed = True
            if name == "default":
                return answer["leaderboard"]
        game_id = str(self._stream).partition(":")[2]
        read = client.get_game_scores_leaderboard(game_id=game_id, leaderboard=name, limit=MOST_ROWS)
        return [{**row, "position": at} for at, row in enumerate(read["leaderboard"], 1)]
