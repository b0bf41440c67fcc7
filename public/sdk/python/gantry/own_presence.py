from __future__ import annotations

import threading
import time
from typing import Any, Callable, Mapping, Optional, TypeVar

from .errors import GantryError

Answer = TypeVar("Answer")

STATUS = "setStatus"
#: The status of a player who has chosen none.
UNCHOSEN = {"status": "online"}
#: What they set ends with the connection.
OF_CONNECTION = ("setCurrentGame", "setRichPresence")
#: These belong to a connection, and so are never called over HTTP.
SOCKET_ONLY = frozenset([STATUS, *OF_CONNECTION, "followPresence", "unfollowPresence"])
#: Why a handshake is refused for its status: PROTOCOL.md, section 3.
REFUSALS = ("input_invalid", "not_a_launcher", "words_not_allowed", "muted")


class Setting:
    def __init__(
        self, data: Mapping[str, Any], is_unanswered: bool = False, chosen_at: Optional[float] = None
    ) -> None:
        self.data = data
        #: By `time.monotonic()`; of the client's options: when a connection with it began, None before that.
        self.chosen_at = chosen_at
        #: Whether the server has it is not known. In a handshake, a status does not count for a player connected elsewhere.
        self.is_unanswered = is_unanswered

    def has(self, status: Mapping[str, Any]) -> bool:
        return (self.data["status"], self.data.get("text", "")) == (status["status"], status["text"])

    def aged(self) -> Mapping[str, Any]:
        """With its age, so that it does not replace what the player has chosen later on another device."""
        if self.chosen_at is None:
            return self.data
        return {**self.data, "ageMs": round((time.monotonic() - self.chosen_at) * 1000)}


class OwnPresence:
    """What the player shows to friends, remembered for the next connection."""

    def __init__(self, status: Optional[Mapping[str, Any]]) -> None:
        self._settings: dict[str, Setting] = {} if status is None else {STATUS: Setting(status)}
        self._lock = threading.RLock()

    @property
    def status(self) -> Optional[Mapping[str, Any]]:
        """For the handshake, so that an invisible player is not seen between connecting and `set_status`."""
        setting = self._settings.get(STATUS)
        return None if setting is None else setting.aged()

    def remember(self, operation: str, data: Mapping[str, Any], call: Callable[[], Answer]) -> Answer:
        """Remembers the input of a call while it is made, and then unless the server has refused it."""
        if operation != STATUS and operation not in OF_CONNECTION:
            return call()
        with self._lock:  # `repeat` must not send an older one after it
            before = self._settings.get(operation)
            setting = self._settings[operation] = Setting(data, chosen_at=time.monotonic())
            try:
                return call()
            except GantryError as error:
                if error.code > 0:
                    self._restore(operation, before)
                else:
                    setting.is_unanswered = True
                raise

    def repeat(self, call: Callable[[str, Mapping[str, Any]], bool]) -> None:
        """Sends over a new connection what has ended with the last one, and a status that was not answered.

        `call` returns whether it was answered with success.
        """
        with self._lock:
            initial = self._settings.get(STATUS)
            if initial is not None and initial.chosen_at is None:
                initial.chosen_at = time.monotonic()
            for operation in (STATUS, *OF_CONNECTION):
                setting = self._settings.get(operation)
                if setting is None or (operation == STATUS and not setting.is_unanswered):
                    continue
                if call(operation, setting.aged() if operation == STATUS else setting.data):
                    setting.is_unanswered = False

    def learn(self, own: Optional[Mapping[str, Any]]) -> None:
        """Takes the player's status according to the server: one that was chosen on another device replaces the
        remembered one, which a server that has forgotten both would take for the latest.
        """
        if own is None or not self._lock.acquire(blocking=False):  # another status is being sent
            return
        try:
            known = self._settings.get(STATUS, Setting(UNCHOSEN))
            if not known.is_unanswered and not known.has(own):
                self._settings[STATUS] = Setting(own, chosen_at=time.monotonic())
        finally:
            self._lock.release()

    def reduce(self, reason: str) -> bool:
        """When a handshake was refused for its status: gives up its text, then the status. False: that was not why."""
        refused = self._settings.get(STATUS)
        if refused is None or reason not in REFUSALS:
            return False
        rest = Setting({"status": refused.data["status"]}, refused.is_unanswered)
        self._restore(STATUS, rest if refused.data.get("text") else None)
        return True

    def _restore(self, operation: str, setting: Optional[Setting]) -> None:
        if setting is None:
            self._settings.pop(operation, None)
        else:
            self._settings[operation] = setting
