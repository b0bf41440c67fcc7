from __future__ import annotations

import threading
from typing import Any, Callable

from .event_receiver import run_all


class Follower:
    """A listener that is called from several threads, and never with something older than before."""

    def __init__(self, listener: Callable[[Any], Any]) -> None:
        self._listener = listener
        self._shown = 0
        self._lock = threading.RLock()

    def show(self, version: int, shown: Any) -> None:
        with self._lock:
            if version > self._shown:
                self._shown = version
                run_all([self._listener], shown)
