from __future__ import annotations

import logging
import random
import threading
import time
from typing import Any, Callable, Optional, TypeVar, Union

from .errors import GantryError, client_error
from .http_call import call_over_http
from .sign_in import SignedIn
from .types import OwnPlayer

_log = logging.getLogger("gantry")

Answer = TypeVar("Answer")

#: The delays between attempts to sign in or to renew when the server specifies none, in seconds.
FIRST_DELAY = 1.0
LONGEST_DELAY = 30.0
#: Sessions that the player opened, which renewChannelSession prolongs.
RENEWABLE = ("device", "wallet")


def patiently(
    attempt: Callable[[], Answer], pause: Callable[[float], Any], may_wait: Callable[[float], bool]
) -> Answer:
    """Tries again while the server asks to wait or does not answer, unless `may_wait` refuses the delay.

    Raises GantryError, the last one.
    """
    delay = FIRST_DELAY
    while True:
        try:
            return attempt()
        except GantryError as error:
            wait = error.retry_after_seconds
            if wait is None:
                wait = delay * random.uniform(0.5, 1.0)  # not all clients at the same moment
            if not error.is_temporary or not may_wait(wait):
                raise
        pause(wait)
        delay = min(LONGEST_DELAY, delay * 2)


class Session:
    """A client's session: its token, which is renewed before it expires, and how to get the next session.

    `sign_in` opens the next one, or returns the token of one, if there is one.
    """

    def __init__(
        self,
        url: str,
        launcher_jwt: Optional[str],
        timeout: float,
        sign_in: Optional[Callable[[], Union[None, str, SignedIn]]] = None,
        device_secret: Optional[str] = None,
        game_version: Optional[str] = None,
    ) -> None:
        self._url = url
        self._timeout = timeout
        self._game_version = game_version
        self._sign_in = sign_in
        self._device_secret = device_secret
        self.token = launcher_jwt
        #: Counts the sessions; a renewed one is the same.
        self.number = 0
        self.wallet = ""
        self.player: Optional[OwnPlayer] = None
        #: Why the next session was refused.
        self.refusal: Optional[GantryError] = None
        #: In Unix milliseconds; None: the player did not open it, and it is not renewed.
        self._expires_at: Optional[int] = None
        #: In seconds.
        self._renew_at: Optional[float] = None
        self._is_scheduled = threading.Event()
        self._is_closed = threading.Event()
        self._lock = threading.Lock()
        self._changed: Callable[[], None] = lambda: None

    @property
    def to_save(self) -> dict[str, Any]:
        """What the store keeps of the session."""
        saved: dict[str, Any] = {}
        if self.wallet:
            saved["wallet"] = self.wallet
        if self.player is not None:
            saved["userId"] = self.player["userId"]
        if self._device_secret is not None:
            saved["deviceSecret"] = self._device_secret
        if self._expires_at is not None:
            saved["session"] = {"launcherJwt": self.token, "expiresAt": self._expires_at}
        return saved

    @property
    def is_final(self) -> bool:
        """Whether no other session can follow this one."""
        return self._sign_in is None or self.refusal is not None

    def take(self, signed_in: SignedIn) -> None:
        """Continues with a session that the player has opened."""
        self.token, self.wallet, self.player = signed_in.launcher_jwt, signed_in.wallet, signed_in.player
        self._expire_at(signed_in.expires_at)

    def check(self, game: str) -> None:
        """Reads whose session it is. Raises GantryError, with the code 401 if the token is refused, or another game's."""
        self._take_token(self.token, game)

    def start(self, changed: Callable[[], None]) -> None:
        """Renews the session from now on; `changed` is called when there is something to save."""
        self._changed = changed
        if self.wallet:
            threading.Thread(target=self._renew_late, name="gantry-session", daemon=True).start()

    def close(self) -> None:
        self._is_closed.set()
        self._is_scheduled.set()

    def follow(self, number: int) -> bool:
        """Opens the next session, unless `number` is not the current one any more, however long the server takes.

        Returns whether there is a new one.
        """
        with self._lock:
            if self.number != number:
                return True
            if self._sign_in is None or self.is_final:
                return False
            try:
                if not self._patiently(self._open_next):
                    return False
            except GantryError as refusal:
                self.refusal = refusal
                return False
            self.number += 1
        self._changed()
        return True

    def read_player(self) -> None:
        """Reads the player again, whose name may have changed."""
        try:
            self.player = self._read(self.token)["player"]
        except GantryError as error:
            _log.debug("the player could not be read: %r", error)

    def _open_next(self) -> bool:
        assert self._sign_in is not None
        try:
            following = self._sign_in()
        except GantryError:
            raise
        except Exception as error:  # the game's own server was not reached
            _log.warning("`renew` failed; it is called again", exc_info=True)
            raise client_error("connection_lost", f"`renew` failed: {error!r}") from None
        if isinstance(following, SignedIn):
            self.take(following)
        elif not following or not self._take_token(following):
            return False
        return True

    def _take_token(self, token: Optional[str], game: Optional[str] = None) -> bool:
        """Returns False if it is another player's."""
        answer = self._read(token, game)
        player, session = answer["player"], answer["session"]
        if self.wallet not in ("", player["wallet"]):
            return False
        is_own = session["openedBy"] in RENEWABLE
        self.token, self.wallet, self.player = token, player["wallet"], player
        self._expire_at(session["expiresAt"] if is_own else None)
        return True

    def _expire_at(self, expires_at: Optional[int]) -> None:
        now = time.time()
        self._expires_at = expires_at
        # In the last tenth.
        self._renew_at = None if expires_at is None else now + 0.9 * (expires_at / 1000 - now)
        self._is_scheduled.set()

    def _renew_late(self) -> None:
        while not self._is_closed.is_set():
            at = self._renew_at
            # In short steps: a clock that is set, or a computer that sleeps, must not delay it.
            self._is_scheduled.wait(60.0 if at is None else max(0.0, min(60.0, at - time.time())))
            self._is_scheduled.clear()
            if at is not None and at == self._renew_at and at <= time.time():
                self._renew_at = None
                try:
                    self._patiently(self._renew)
                except GantryError as refusal:  # it ends as it would have without
                    _log.debug("the session is not renewed: %r", refusal)

    def _renew(self) -> None:
        number, expires_at = self.number, self._expires_at
        renewed = self._call("renewChannelSession", self.token)
        with self._lock:
            is_longer = expires_at is None or renewed["expiresAt"] > expires_at
            if self.number != number or not is_longer:
                return
            self.token = renewed["launcherJwt"]
            self._expire_at(renewed["expiresAt"])
        self._changed()
        self.read_player()

    def _read(self, token: Optional[str], game: Optional[str] = None) -> Any:
        return self._call("getPlayer", token, game)

    def _call(self, operation: str, token: Optional[str], game: Optional[str] = None) -> Any:
        return call_over_http(
            self._url, operation, {"launcherJwt": token}, None, self._timeout, self._game_version, game=game
        )

    def _patiently(self, attempt: Callable[[], Answer]) -> Answer:
        return patiently(attempt, self._is_closed.wait, lambda _: not self._is_closed.is_set())
