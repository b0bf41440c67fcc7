from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Optional

from .errors import GantryError
from .follower import Follower

if TYPE_CHECKING:
    from .client import GantryClient

_log = logging.getLogger("gantry")

#: The delay before a failed read is repeated when the server specifies none, in seconds.
REPEAT_SECONDS = 5.0


class Config:
    """The game's config, as it changes.

    It is read when the program first uses it and after every reconnect; while there is no connection, the last values
    stay.
    """

    def __init__(self, client: "GantryClient", label: Optional[str]) -> None:
        self._client = client
        self._label = label
        self._followers: list[Follower] = []
        self._values: dict[str, Any] = {}
        #: None until the config was read.
        self._version: Optional[int] = None
        #: Of the values, as they were read; None: they have changed since.
        self._etag: Optional[str] = None
        self._is_listening = False
        #: Counts what followers are shown.
        self._shown = 0
        #: The read that waits for its time, which runs in a thread of its own.
        self._waiting: Optional[threading.Timer] = None
        self._spread_ends_at = 0.0
        self._lock = threading.RLock()

    @property
    def version(self) -> int:
        """The version of the values; 0: not read yet, or nothing was ever set."""
        self._start()
        return self._version or 0

    @property
    def values(self) -> dict[str, Any]:
        """All values by key; empty until they were read."""
        self._start()
        return dict(self._values)

    def get(self, key: str, default: Any = None) -> Any:
        """A key's value; the default while it has none, or was not read yet."""
        self._start()
        return self._values.get(key, default)

    def load(self) -> None:
        """Waits until the config was read. Raises GantryError."""
        self._listen()
        if self._version is None:
            with self._lock:
                if self._version is None:
                    self._read()

    def follow(self, listener: Callable[[dict[str, Any]], Any]) -> Callable[[], None]:
        """Calls the listener with all values: before this returns, and after every change.

        Returns a function that stops it. Raises GantryError when they cannot be read.
        """
        follower = Follower(listener)
        self.load()
        with self._lock:
            self._followers.append(follower)
            self._shown += 1
            version, shown = self._shown, dict(self._values)
        follower.show(version, shown)
        return lambda: self._stop(follower)

    def close(self) -> None:
        """Reads no more."""
        waiting = self._waiting
        if waiting is not None:
            waiting.cancel()

    def _stop(self, follower: Follower) -> None:
        with self._lock:
            if follower in self._followers:
                self._followers.remove(follower)

    def _start(self) -> None:
        if not self._is_listening:
            self._listen()
            self._wait(0.0)

    def _listen(self) -> None:
        with self._lock:
            if self._is_listening:
                return
            self._is_listening = True
        self._client.on("config patched", lambda record, meta: self._take(record))
        self._client.on_status(lambda status: self._reconnected() if status == "live" else None)

    def _reconnected(self) -> None:
        """Changes are not replayed."""
        if self._version is None:
            return
        with self._lock:
            self.close()
            self._wait(0.0)

    def _take(self, patch: dict[str, Any]) -> None:
        # While the config is read, this waits for it.
        with self._lock:
            version = patch["version"]
            if self._version is None or version <= self._version:
                return
            if version == self._version + 1 and "values" in patch:
                kept = {key: value for key, value in self._values.items() if key not in patch["keys"]}
                self._change({**kept, **patch["values"]}, version)
            elif self._waiting is None:
                now = time.monotonic()
                start = max(now, self._spread_ends_at)
                spread = patch["spreadMs"] / 1000
                self._spread_ends_at = start + spread
                self._wait(start - now + random.random() * spread)

    def _wait(self, seconds: float) -> None:
        def run() -> None:
            if self._client._connection is None:
                self._read_later(waiting)
            else:  # in the thread of the listeners
                self._client._told.put(("run", lambda: self._read_later(waiting)))

        waiting = threading.Timer(seconds, run)
        waiting.daemon = True
        self._waiting = waiting
        waiting.start()

    def _read_later(self, waiting: threading.Timer) -> None:
        with self._lock:
            if self._waiting is not waiting:
                return
            self._waiting = None
            try:
                self._read()
            except GantryError as error:
                _log.debug("the config could not be read: %r", error)
                if error.is_temporary:
                    wait = error.retry_after_seconds
                    self._wait(REPEAT_SECONDS * random.uniform(1.0, 2.0) if wait is None else wait)

    def _read(self) -> None:
        answer = self._client.get_config(label=self._label, if_none_match=self._etag)
        if not answer["unchanged"]:
            self._change(answer["values"], answer["version"])
        self._etag = answer["etag"]

    def _change(self, values: dict[str, Any], version: int) -> None:
        self._values, self._version, self._etag = values, version, None
        self._shown += 1
        for follower in list(self._followers):
            follower.show(self._shown, dict(values))
