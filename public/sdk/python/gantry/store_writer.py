from __future__ import annotations

import threading
import time
from typing import Any, Callable, Optional

from .event_receiver import run_all
from .store import Store

#: The minimum interval between two saves, in seconds; queued calls are saved immediately.
SAVE_INTERVAL = 0.1


class StoreWriter:
    """Saves a client's state, after events at most a few times a second."""

    def __init__(self, store: Optional[Store], state: Callable[[], dict[str, Any]]) -> None:
        self._store = store
        self._state = state
        self._saved_at = 0.0
        self._is_due = False
        self._lock = threading.RLock()  # a later save must not be overtaken by an earlier one

    @property
    def wait(self) -> Optional[float]:
        """The time until it must be saved if nothing else happens, in seconds; None: there is nothing to save."""
        return SAVE_INTERVAL if self._is_due else None

    def save_soon(self) -> None:
        self._is_due = self._store is not None
        if time.monotonic() - self._saved_at >= SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        with self._lock:
            self._is_due = False
            self._saved_at = time.monotonic()
            if self._store is not None:
                run_all([self._store.save], self._state())
