from __future__ import annotations

import difflib
import logging
import threading
from typing import Any, Callable, Iterable, Mapping, Optional

from .cursors import Cursors
from .names import EVENTS

_log = logging.getLogger("gantry")

Listener = Callable[[dict[str, Any], dict[str, Any]], Any]


class EventReceiver:
    """Delivers each event to its listeners, once and in order, and has the cursors to send and to save."""

    def __init__(self, cursors: Mapping[str, Mapping[str, Any]], notifications: Iterable[str]) -> None:
        self._cursors = Cursors(cursors, notifications)
        #: The cursors to save: only of events whose listeners have run.
        self._handled = self._cursors.copy()
        self._handling: Optional[str] = None
        self._lock = threading.Lock()
        self._listeners: dict[str, list[Listener]] = {}
        self._resync_listeners: list[Callable[[str], Any]] = []

    def on(self, name: str, listener: Listener) -> Callable[[], None]:
        if name not in EVENTS:
            nearest = difflib.get_close_matches(name, EVENTS, 1, 0.0)[0]
            raise ValueError(f'There is no event "{name}"; did you mean "{nearest}"?')
        return added(self._listeners.setdefault(name, []), listener)

    def on_resync(self, listener: Callable[[str], Any]) -> Callable[[], None]:
        return added(self._resync_listeners, listener)

    @property
    def positions(self) -> dict[str, dict[str, Any]]:
        with self._lock:
            return self._cursors.copy()

    @property
    def to_send(self) -> dict[str, Any]:
        with self._lock:
            return self._cursors.to_send()

    @property
    def to_save(self) -> dict[str, Any]:
        with self._lock:
            notifications = [one for one in self._cursors.notifications if one != self._handling]
            return {"cursors": dict(self._handled), "notifications": notifications}

    def begin(self, streams: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Takes the positions of a new connection. Returns the streams to reload, for `begun`."""
        with self._lock:
            missed, _ = self._cursors.begin(streams)
        return missed

    def begun(self, missed: Iterable[str]) -> None:
        """Tells listeners what to reload: before the events of the connection."""
        for stream in missed:
            run_all(self._resync_listeners, stream)
        with self._lock:
            self._handled = self._cursors.copy()

    def receive(self, name: str, record: dict[str, Any], meta: dict[str, Any]) -> bool:
        """Returns False if an event before it is missing."""
        with self._lock:
            verdict = self._cursors.judge(name, meta, record.get("_id"))
            self._handling = None if verdict == "gap" else record.get("_id")
        if verdict == "gap":
            return False
        if verdict == "take":
            run_all(self._listeners.get(name, ()), record, meta)
        with self._lock:
            self._handling = None
            self._handled = self._cursors.copy()
        return True

    def subscribed(self, answer: Mapping[str, Any]) -> None:
        with self._lock:
            own = self._cursors.positions.get(answer["stream"])
            if own is None or own["epoch"] != answer["epoch"]:
                self._cursors.positions[answer["stream"]] = {"epoch": answer["epoch"], "seq": answer["seq"]}

    def unsubscribed(self, stream: str) -> None:
        with self._lock:  # with a cursor, the next connection would subscribe again
            self._cursors.positions.pop(stream, None)

    def forget(self) -> None:
        """Forgets the cursors, which the server has refused or which are another player's."""
        with self._lock:
            self._cursors.positions.clear()


def added(listeners: list[Any], listener: Any) -> Callable[[], None]:
    """Returns a function that removes it, once."""
    entry = [listener]
    listeners.append(listener)
    return lambda: listeners.remove(entry.pop()) if entry else None


def run_all(listeners: Iterable[Callable[..., Any]], *arguments: Any) -> None:
    for listener in list(listeners):
        try:
            listener(*arguments)
        except Exception:  # the other listeners must still be called
            _log.exception("a listener or the store failed")
