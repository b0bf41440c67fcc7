from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional, TypeVar

from .errors import GantryError

Answer = TypeVar("Answer")

STATUS = "setStatus"
#: What they set ends with the connection.
OF_CONNECTION = ("setCurrentGame", "setRichPresence")
#: These belong to a connection, and so are never called over HTTP.
SOCKET_ONLY = frozenset([STATUS, *OF_CONNECTION, "followPresence", "unfollowPresence"])
#: Why a handshake is refused for its status: PROTOCOL.md, section 3.
REFUSALS = ("input_invalid", "not_a_launcher", "words_not_allowed", "muted")


class OwnPresence:
    """What the player shows to friends, remembered for the next connection."""

    def __init__(self, status: Optional[Mapping[str, Any]]) -> None:
        self._inputs: dict[str, Mapping[str, Any]] = {} if status is None else {STATUS: status}
        self._lock = threading.RLock()

    @property
    def status(self) -> Optional[Mapping[str, Any]]:
        """For the handshake, so that an invisible player is not seen between connecting and `set_status`."""
        return self._inputs.get(STATUS)

    def remember(self, operation: str, data: Mapping[str, Any], call: Callable[[], Answer]) -> Answer:
        """Remembers the input of a call while it is made, and then unless the server has refused it."""
        if operation != STATUS and operation not in OF_CONNECTION:
            return call()
        with self._lock:  # `repeat` must not send an older one after it
            before = self._inputs.get(operation)
            self._inputs[operation] = data
            try:
                return call()
            except GantryError as error:
                if error.code > 0:
                    self._restore(operation, before)
                raise

    def repeat(self, call: Callable[[str, Mapping[str, Any]], Any]) -> None:
        """Sends again what ended with the last connection."""
        with self._lock:
            for operation in OF_CONNECTION:
                if operation in self._inputs:
                    call(operation, self._inputs[operation])

    def reduce(self, reason: str) -> bool:
        """When a handshake was refused for its status: gives up its text, then the status. False: that was not why."""
        status = self.status
        if status is None or reason not in REFUSALS:
            return False
        self._restore(STATUS, {"status": status["status"]} if status.get("text") else None)
        return True

    def _restore(self, operation: str, data: Optional[Mapping[str, Any]]) -> None:
        if data is None:
            self._inputs.pop(operation, None)
        else:
            self._inputs[operation] = data
