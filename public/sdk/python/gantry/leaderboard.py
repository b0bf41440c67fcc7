from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from .client import GantryClient
    from .types import LeaderboardRow

#: The rows that the server sends changes of.
MOST_ROWS = 50


class Leaderboard:
    """A leaderboard of the client's game."""

    def __init__(self, client: "GantryClient", name: Optional[str]) -> None:
        self._client = client
        self._name = None if name == "default" else name

    def follow(
        self, listener: Callable[[list["LeaderboardRow"]], Any], limit: int = 10
    ) -> Callable[[], None]:
        """Calls the listener with the best `limit` rows (at most 50), in order, now and after every change.

        A row has `position`, from 1, `username`, `score` and more. Returns a function that stops. Raises GantryError.
        """
        followed = _Followed(self._client, self._name, listener, min(limit, MOST_ROWS))
        return followed.start()


class _Followed:
    def __init__(
        self,
        client: "GantryClient",
        name: Optional[str],
        listener: Callable[[list[Any]], Any],
        limit: int,
    ) -> None:
        self._client = client
        self._name = name
        self._listener = listener
        self._limit = limit
        self._rows: list[Any] = []
        self._game_id = ""
        self._lock = threading.RLock()  # the first rows are read in the caller's thread

    def start(self) -> Callable[[], None]:
        event = "leaderboards patched" if self._name is None else "named-leaderboards patched"
        client = self._client
        with self._lock:
            stops = [
                client.on(event, self._change),
                client.on("leaderboard-seasons ended", self._season_ended),
                client.on_status(self._status_changed),
            ]
            try:
                self._load()
            except BaseException:
                self._stop(stops)
                raise
        return lambda: self._stop(stops)

    def _stop(self, stops: list[Callable[[], None]]) -> None:
        while stops:
            stops.pop()()

    def _load(self) -> None:
        with self._lock:
            answer = self._client.subscribe()
            self._game_id = answer["stream"].split(":", 1)[1]
            if self._name is None:
                self._rows = answer["leaderboard"]
            else:
                board = self._client.get_game_scores_leaderboard(
                    game_id=self._game_id, leaderboard=self._name, limit=MOST_ROWS
                )
                self._rows = [{**row, "position": at} for at, row in enumerate(board["leaderboard"], 1)]
            self._tell()

    def _status_changed(self, status: str) -> None:
        if status == "live":  # changes are not replayed
            self._load()

    def _season_ended(self, record: Any, meta: Any) -> None:
        if record["leaderboard"] == (self._name or "default"):
            self._load()

    def _change(self, record: Any, meta: Any) -> None:
        if record["gameId"] != self._game_id or record.get("leaderboard") != self._name:
            return
        with self._lock:
            for row in record["rows"]:
                self._rows[row["position"] - 1 : row["position"]] = [row]
            del self._rows[record["length"] :]
            self._tell()

    def _tell(self) -> None:
        self._listener(list(self._rows[: self._limit]))
