from __future__ import annotations

import os
import threading
import time
from typing import Any, Callable, Optional

from .client import LISTENERS_DELAY, GantryClient
from .connection import require_modules
from .errors import GantryError
from .session import Session, patiently
from .sign_in import Sign, SignedIn, sign_in_as_guest, sign_in_with_wallet
from .store import LauncherStore, MemoryStore, Store, is_saved_for, saved_for

#: Returns a new token of the same player, or none.
Renew = Callable[[], Optional[str]]

#: A stored session that ends sooner is not continued, in milliseconds.
LEAST_REMAINING_MS = 60_000


def release_soon(client: GantryClient) -> None:
    timer = threading.Timer(LISTENERS_DELAY, client._release)
    timer.daemon = True
    timer.start()


def _require_modules(options: dict[str, Any]) -> None:
    """Before anybody signs in: without a store, each attempt would leave a guest behind."""
    if options.get("connect", True):
        require_modules(options.get("transports", ("websocket",)))


def connect(
    url: str,
    game: str,
    *,
    username: Optional[str] = None,
    device_name: Optional[str] = None,
    launcher_jwt: Optional[str] = None,
    device_secret: Optional[str] = None,
    store: Optional[Store] = None,
    renew: Optional[Renew] = None,
    sign_in_timeout: float = 60.0,
    _release: Callable[[GantryClient], None] = release_soon,
    **options: Any,
) -> GantryClient:
    """Signs the player in and returns a live client. `game` is the game's slug or id.

    The player is, in this order: that of `launcher_jwt`; that of the environment variable GANTRY_TOKEN, which a launcher
    sets; the one in the store, or of `device_secret`; a new guest, named `username`. Without a store, a new guest is
    lost when the program ends. `renew` returns a new token of the same player when the session has expired, such as one
    from the game's server; guests need none. `options` are those of GantryClient. Add listeners directly afterwards: they receive everything.

    While the server asks to wait or does not answer, signing in is tried again for `sign_in_timeout` seconds. Raises
    GantryError; with `device_unknown`, `guest_upgraded` and `session_ended`, the player in the store cannot sign in, and
    nobody else takes that place.
    """
    _require_modules(options)
    kept = store if store is not None else MemoryStore()
    timeout = options.get("timeout", 15.0)
    version = options.get("game_version")
    until = time.monotonic() + sign_in_timeout

    def opened(session: Session, store: Store) -> GantryClient:
        return _live(GantryClient(url, session=session, store=store, **options), _release)

    def is_accepted(session: Session) -> bool:
        try:
            _until(until, lambda: session.check(game))
        except GantryError as error:
            if error.code != 401 or session.token == launcher_jwt:
                raise
            return False
        return True

    saved = kept.load() or {}
    given = launcher_jwt or os.environ.get("GANTRY_TOKEN")
    if given:
        session = Session(url, given, timeout, renew, game_version=version)
        if is_accepted(session):
            assert session.player is not None
            is_stored = is_saved_for(saved, session.player)
            return opened(session, kept if is_stored else LauncherStore(kept, session.player))

    secret = device_secret or saved.get("deviceSecret")
    last = saved.get("session") or {}
    is_last_of = secret == saved.get("deviceSecret")
    if is_last_of and last.get("expiresAt", 0) > time.time() * 1000 + LEAST_REMAINING_MS:
        again = renew or (_signing_in(url, game, secret, version) if secret else None)
        session = Session(url, last["launcherJwt"], timeout, again, secret, version)
        if is_accepted(session):
            return opened(session, kept)
    if secret is None and saved.get("wallet"):
        message = "The session of this player, who signed in with a wallet, has ended: sign in again"
        raise GantryError({"message": message, "code": 401, "data": {"reason": "session_ended"}})
    sign_in = _signing_in(url, game, secret, version, device_name, username)
    return opened(_guest_session(url, game, _until(until, sign_in), kept, timeout, renew, version), kept)


def connect_as_guest(
    url: str,
    game_id: str,
    store: Optional[Store] = None,
    device_name: Optional[str] = None,
    _release: Callable[[GantryClient], None] = release_soon,
    **options: Any,
) -> GantryClient:
    """Signs in as the guest in the store, or as a new one, and connects: `connect` without other sources.

    `options` are those of GantryClient. Raises GantryError.
    """
    _require_modules(options)
    kept = store if store is not None else MemoryStore()
    secret = (kept.load() or {}).get("deviceSecret")
    version = options.get("game_version")
    guest = sign_in_as_guest(url, game_id, secret, device_name, game_version=version)
    session = _guest_session(url, game_id, guest, kept, options.get("timeout", 15.0), options.get("renew"), version)
    return _live(GantryClient(url, session=session, store=kept, **options), _release)


def connect_with_wallet(
    url: str,
    game_id: str,
    wallet: str,
    sign: Sign,
    chain_id: Optional[int] = None,
    _release: Callable[[GantryClient], None] = release_soon,
    **options: Any,
) -> GantryClient:
    """Signs in with a wallet and connects; `options` are those of GantryClient. Raises GantryError."""
    version = options.get("game_version")
    session = Session(url, None, options.get("timeout", 15.0), options.get("renew"), game_version=version)
    signed_in = sign_in_with_wallet(url, game_id, wallet, sign, chain_id, version)
    session.take(signed_in)
    store = options.get("store")
    if store is not None and signed_in.player is not None:
        store.save(saved_for(store.load() or {}, signed_in.player))
    return _live(GantryClient(url, session=session, **options), _release)


def _guest_session(
    url: str,
    game: str,
    guest: Any,
    store: Store,
    timeout: float,
    renew: Optional[Renew] = None,
    version: Optional[str] = None,
) -> Session:
    """The session of a guest who has just signed in; the guest is in the store when this returns."""
    secret = guest.device_secret
    session = Session(url, None, timeout, renew or _signing_in(url, game, secret, version), secret, version)
    session.take(guest)
    store.save({**saved_for(store.load() or {}, guest.player), **session.to_save})
    return session


def _signing_in(
    url: str,
    game: str,
    secret: Optional[str],
    version: Optional[str],
    device_name: Optional[str] = None,
    username: Optional[str] = None,
) -> Callable[[], SignedIn]:
    return lambda: sign_in_as_guest(url, game, secret, device_name, username, version)


def _until(until: float, attempt: Callable[[], Any]) -> Any:
    return patiently(attempt, time.sleep, lambda wait: time.monotonic() + wait <= until)


def _live(client: GantryClient, release: Callable[[GantryClient], None]) -> GantryClient:
    try:
        if client._connection is not None:
            client.ready()
    except BaseException:
        client.close()
        raise
    release(client)
    return client
