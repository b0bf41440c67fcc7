from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable, Optional

from .errors import GantryError
from .http_call import call_over_http
from .sign_in import SignedIn, sign_in_as_guest

_log = logging.getLogger("gantry")

#: The delays between attempts to renew or to sign in again when the server specifies none, in seconds.
FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0
#: Sessions that the player opened, which renewChannelSession prolongs.
RENEWABLE = ("device", "wallet")


class Session:
    """The session of a client: its token, renewed before it expires, and the next session when it has expired.

    The next one is opened with a guest's `device_secret`, or with the token that `renew` returns.
    """

    def __init__(
        self,
        url: str,
        launcher_jwt: Optional[str],
        *,
        timeout: float = 15.0,
        renew: Optional[Callable[[], str]] = None,
        game: str = "",
        device_secret: Optional[str] = None,
    ) -> None:
        self._url = url
        self._timeout = timeout
        self._renew = renew
        self._game = game
        self._device_secret = device_secret
        self.token = launcher_jwt
        #: Counts the sessions; a renewed one is the same.
        self.number = 0
        self.wallet = ""
        self.player: Optional[dict[str, Any]] = None
        self._expires_at: Optional[int] = None
        #: When to renew it, as Unix time in seconds; None if it cannot be renewed.
        self._renew_at: Optional[float] = None
        self._is_refused = False
        self._replacing = threading.Lock()
        self._closed = threading.Event()
        self._scheduled = threading.Event()
        self._changed: Callable[[], None] = lambda: None

    @property
    def to_save(self) -> dict[str, Any]:
        """What the store keeps of a guest's session."""
        if self._device_secret is None:
            return {}
        session = {"launcherJwt": self.token, "expiresAt": self._expires_at}
        return {"deviceSecret": self._device_secret, "wallet": self.wallet, "session": session}

    @property
    def is_final(self) -> bool:
        """Whether no other session can follow this one."""
        return self._is_refused or (self._device_secret is None and self._renew is None)

    def take(self, signed_in: SignedIn) -> None:
        """Continues with a session that the player has just opened."""
        self.token = signed_in.launcher_jwt
        self.wallet = signed_in.wallet
        self.player = signed_in.player
        self._expire_at(signed_in.expires_at, time.time() * 1000)

    def check(self) -> None:
        """Reads the player and the end of the session. Raises GantryError, 401 if the token is refused."""
        answer = self._call("getPlayer")
        self.player = answer["player"]
        self.wallet = answer["player"]["wallet"]
        session = answer["session"]
        is_renewable = session["openedBy"] in RENEWABLE
        self._expire_at(session["expiresAt"] if is_renewable else None, session["openedAt"])

    def keep(self, changed: Callable[[], None]) -> None:
        """Renews the session from now on; `changed` is called after each renewal."""
        self._changed = changed
        if self.wallet:
            threading.Thread(target=self._renew_in_time, name="gantry-session", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._scheduled.set()

    def replace(self, number: int, is_patient: bool) -> bool:
        """Opens the next session, if `number` is still the current one. Returns whether there is a new one.

        A patient attempt is repeated until the server has answered. After a refusal, there is no other attempt.
        """
        with self._replacing:
            if self.number != number:
                return True
            return not self.is_final and self._repeat(self._open_next, is_patient)

    def _open_next(self) -> None:
        try:
            if self._device_secret is not None:
                self.take(sign_in_as_guest(self._url, self._game, self._device_secret))
            elif self._renew is not None:
                self.token = self._renew()
                self.check()
        except OSError:  # of `renew`: it may succeed later
            raise
        except Exception as error:
            self._is_refused = not (isinstance(error, GantryError) and error.is_temporary)
            raise
        self.number += 1

    def _renew_in_time(self) -> None:
        while not self._closed.is_set():
            # In short steps: a clock that is set, or a computer that sleeps, must not delay it.
            at = self._renew_at
            self._scheduled.wait(60.0 if at is None else min(60.0, max(0.0, at - time.time())))
            self._scheduled.clear()
            is_due = at is not None and at == self._renew_at and at <= time.time()
            if is_due and not self._repeat(self._renew_once, True):
                self._renew_at = None

    def _renew_once(self) -> None:
        number, ends = self.number, self._expires_at
        answer = self._call("renewChannelSession")
        with self._replacing:
            if self.number != number:
                return
            self.token = answer["launcherJwt"]
            self._expire_at(answer["expiresAt"], time.time() * 1000)
            if answer["expiresAt"] <= (ends or 0):  # the server prolongs it no further
                self._renew_at = None
        self.read_player()

    def read_player(self) -> None:
        self.player = self._call("getPlayer")["player"]

    def _expire_at(self, expires_at: Optional[int], opened_at: float) -> None:
        """In milliseconds; it is renewed in the last tenth, or not at all without an end."""
        self._expires_at = expires_at
        self._renew_at = None if expires_at is None else (expires_at - (expires_at - opened_at) / 10) / 1000
        self._scheduled.set()

    def _repeat(self, attempt: Callable[[], None], is_patient: bool) -> bool:
        """Until it succeeds, is refused, or the client is closed. Returns whether it has succeeded."""
        delay = FIRST_DELAY
        while not self._closed.is_set():
            try:
                attempt()
                self._changed()
                return True
            except Exception as error:  # `renew` may raise any
                is_refusal = isinstance(error, GantryError) and not error.is_temporary
                if not isinstance(error, (GantryError, OSError)):
                    _log.exception("the session could not be renewed")
                    is_refusal = True
                if is_refusal or not is_patient:
                    return False
                wait = getattr(error, "retry_after_seconds", None)
            self._closed.wait(delay if wait is None else wait)
            delay = min(LONGEST_DELAY, delay * 2)
        return False

    def _call(self, operation: str) -> Any:
        return call_over_http(self._url, operation, {"launcherJwt": self.token}, None, self._timeout)
