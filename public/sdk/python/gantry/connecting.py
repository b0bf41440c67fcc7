from __future__ import annotations

import os
import time
from typing import Any, Callable, Optional, TypeVar

from .client import GantryClient
from .errors import GantryError
from .session import FIRST_DELAY, Session
from .sign_in import Sign, sign_in_as_guest, sign_in_with_wallet
from .store import LauncherStore, MemoryStore, Store

Answer = TypeVar("Answer")

#: How long signing in is repeated while the server does not answer or asks to wait, in seconds.
SIGN_IN_SECONDS = 60.0
#: A saved session that ends sooner is not used, in milliseconds.
LEAST_LEFT_MS = 60_000


def connect(
    url: str,
    game: str,
    *,
    username: Optional[str] = None,
    device_name: Optional[str] = None,
    launcher_jwt: Optional[str] = None,
    renew: Optional[Callable[[], str]] = None,
    store: Optional[Store] = None,
    **options: Any,
) -> GantryClient:
    """Signs the player in and returns a live client. `game` is the game's id or slug.

    The player is, in this order: that of `launcher_jwt`; that of the environment variable GANTRY_TOKEN, which a launcher
    sets; the one in the store; a new guest, named `username`. Without a store, a guest is lost when the program ends.
    `renew` returns a new token when the session has expired, such as one from the game's server; guests need none.
    `options` are those of GantryClient.

    Raises GantryError: with `device_unknown` and `guest_upgraded`, the guest in the store cannot sign in, and no other
    player takes its place. While the server does not answer or asks to wait, it tries again for up to a minute.
    """
    kept = store if store is not None else MemoryStore()
    timeout = options.get("timeout", 15.0)
    until = time.monotonic() + SIGN_IN_SECONDS

    def patiently(call: Callable[[], Answer]) -> Answer:
        delay = FIRST_DELAY
        while True:
            try:
                return call()
            except GantryError as error:
                wait = delay if error.retry_after_seconds is None else error.retry_after_seconds
                if not error.is_temporary or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            delay *= 2

    def accepted(session: Session) -> bool:
        try:
            patiently(session.check)
        except GantryError as error:
            if error.code != 401 or session.token == launcher_jwt:
                raise
            return False
        return True

    def connected(session: Session, store: Store) -> GantryClient:
        return _live(GantryClient(url, session=session, store=store, **options))

    given = launcher_jwt or os.environ.get("GANTRY_TOKEN")
    if given:
        session = Session(url, given, timeout=timeout, renew=renew)
        if accepted(session):
            return connected(session, LauncherStore(kept, session.wallet))

    saved = kept.load() or {}
    secret = saved.get("deviceSecret")
    last = saved.get("session") or {}
    if (last.get("expiresAt") or 0) - time.time() * 1000 > LEAST_LEFT_MS:
        session = Session(
            url, last["launcherJwt"], timeout=timeout, renew=renew, game=game, device_secret=secret
        )
        if accepted(session):
            return connected(session, kept)

    guest = patiently(lambda: sign_in_as_guest(url, game, secret, device_name, username))
    session = Session(
        url, guest.launcher_jwt, timeout=timeout, renew=renew, game=game, device_secret=guest.device_secret
    )
    session.take(guest)
    kept.save({**saved, **session.to_save})
    return connected(session, kept)


def connect_as_guest(
    url: str, game_id: str, store: Optional[Store] = None, device_name: Optional[str] = None, **options: Any
) -> GantryClient:
    """Signs in as the guest in the store, or as a new one, and connects: like `connect`, without a launcher's player.

    `options` are those of GantryClient. Raises GantryError.
    """
    kept = store if store is not None else MemoryStore()
    saved = kept.load() or {}
    guest = sign_in_as_guest(url, game_id, saved.get("deviceSecret"), device_name)
    session = Session(url, guest.launcher_jwt, game=game_id, device_secret=guest.device_secret)
    session.take(guest)
    kept.save({**saved, **session.to_save})
    return _live(GantryClient(url, session=session, store=kept, **options))


def connect_with_wallet(
    url: str, game_id: str, wallet: str, sign: Sign, chain_id: Optional[int] = None, **options: Any
) -> GantryClient:
    """Signs in with a wallet and connects; `options` are those of GantryClient. Raises GantryError."""
    session = Session(url, None)
    session.take(sign_in_with_wallet(url, game_id, wallet, sign, chain_id))
    return _live(GantryClient(url, session=session, **options))


def _live(client: GantryClient) -> GantryClient:
    try:
        client.ready()
    except BaseException:
        client.close()
        raise
    return client
