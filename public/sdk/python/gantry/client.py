from __future__ import annotations

import logging
import queue
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Mapping, Optional

from .call_queue import CallQueue
from .calls import CallsWith, recorded, retry_delay
from .config import Config
from .connection import Connection, require_modules
from .errors import GantryError, client_error, session_ended
from .event_receiver import EventReceiver, Listener, added, run_all
from .friends import Friends
from .http_call import call_over_http, sent_json_of
from .leaderboard import Leaderboard, Leaderboards
from .names import VERSION
from .operations import Operations
from .own_presence import SOCKET_ONLY, OwnPresence
from .session import Session
from .store import Store
from .store_writer import StoreWriter
from .types import OwnPlayer

_log = logging.getLogger("gantry")

#: How long events wait for the listeners that are added after a client has been made, in seconds.
LISTENERS_DELAY = 0.1
#: At least as long as what precedes a call's JSON in its frame: `42` and the number of the call.
FRAME_START = "42".ljust(20)
#: The statuses after which the client does not connect again.
FINAL = ("ended", "refused")


class GantryClient(Operations):
    """A player's connection, or that of a game's server: calls, and live events.

    It connects and reconnects automatically and sends its cursors, so that missed events are replayed; a duplicate
    event is delivered once. Without `launcher_jwt`, no events are received. With `call_over="http"`, calls are sent over
    HTTP; with `connect=False`, no connection is opened, which suits a game's server.

    `timeout` is the timeout of a call, in seconds. A call that was not executed (429, 503) is retried after
    `Retry-After`, at most `retries` times, and not if the delay is longer than `max_retry_delay` seconds; so is a call
    whose response was lost, if it is idempotent: a read, or a write with an `idempotency_key`.

    `renew` returns a new token of the same player, or none, when the session has expired. `status` is a launcher's
    status before the first `set_status`, such as `{"status": "invisible"}`. `game_version`, such as "1.4.2", is sent to the
    server, which may require a newer one (`update_required`); `label` is for rules of the game's config with a label, such
    as `beta` or `android`. `route_by_player` names the player to proxies, with `X-Gantry-Player` for calls over HTTP and
    `?player=` for the socket, so that they can keep a player on one of several nodes; the server ignores it.

    Listeners run in a thread of the client, one at a time. Add them directly after making the client, which then
    connects: they receive everything. With `threaded=False`, they run in `poll`, which a game calls
    in its loop.
    """

    def __init__(
        self,
        url: str,
        launcher_jwt: Optional[str] = None,
        *,
        game_secret: Optional[str] = None,
        cursors: Optional[Mapping[str, Mapping[str, Any]]] = None,
        store: Optional[Store] = None,
        call_over: str = "socket",
        connect: bool = True,
        timeout: float = 15.0,
        retries: int = 2,
        max_retry_delay: float = 10.0,
        threaded: bool = True,
        transports: tuple[str, ...] = ("websocket",),
        renew: Optional[Callable[[], Optional[str]]] = None,
        status: Optional[Mapping[str, Any]] = None,
        game_version: Optional[str] = None,
        label: Optional[str] = None,
        route_by_player: bool = False,
        session: Optional[Session] = None,
    ) -> None:
        if connect:
            require_modules(transports)
        self._url = url
        self._session = session or Session(url, launcher_jwt, timeout, renew, game_version=game_version)
        self._game_secret = game_secret
        self._warning: Optional[str] = None
        self._game_version = game_version
        self._route_by_player = route_by_player
        self._over_http = call_over == "http" or not connect
        self._timeout = timeout
        self._retries = retries
        self._max_retry_delay = max_retry_delay
        self._threaded = threaded
        self._saved: dict[str, Any] = (store.load() if store is not None else None) or {}
        known = cursors if cursors is not None else self._saved.get("cursors") or {}
        self._events = EventReceiver(known, self._saved.get("notifications") or [])
        self._lock = threading.RLock()
        self._writer = StoreWriter(store, self._state)
        self._closed = threading.Event()
        self._status = "connecting"
        self._refusal: Optional[GantryError] = None
        self._end_reason: Optional[str] = None
        self._settled = threading.Condition(self._lock)
        self._told: "queue.Queue[tuple[Any, ...]]" = queue.Queue()
        #: Events of a client of `connect`, until its listeners are added; None: they are handled at once.
        self._held: Optional[list[tuple[Any, ...]]] = None if session is None else []
        self._leaderboards = Leaderboards(self)
        self._friends = Friends(self)
        self._config = Config(self, label)
        self._own_presence = OwnPresence(status)
        #: The number of the connection whose events are accepted.
        self._taking = 0
        self._status_listeners: list[Callable[[str], Any]] = []
        self._queue_listeners: list[Callable[[dict[str, Any], Any, Optional[GantryError]], Any]] = []
        self._queue = CallQueue(
            self._call_once,
            self._wait_until_callable,
            self._pause,
            self._writer.save,
            self._queue_settled,
            self._saved.get("queue") or [],
        )
        self._connection = None
        self._connected_session = 0
        self._session.start(self._writer.save)
        if connect:
            if threaded:
                threading.Thread(target=self._listen, name="gantry-events", daemon=True).start()
            wallet = self._session.wallet if route_by_player else ""
            self._connection = Connection(
                f"{url.rstrip('/')}/?player={wallet}" if wallet else url,
                self._handshake,
                lambda *told: self._told.put(told),
                list(transports),
                lambda: self._session.follow(self._connected_session),
                self._own_presence.reduce,
                # Those of `connect` are held instead, since it returns a live client, and others wait for `poll`.
                LISTENERS_DELAY if threaded and session is None else 0.0,
            )
        if session is None:
            self._queue.release()

    @property
    def status(self) -> str:
        """`connecting`, `live`, `ended` (the session) or `refused`; the client does not reconnect after the last two."""
        return self._status

    @property
    def end_reason(self) -> Optional[str]:
        """With the status `ended`: why the session ended, such as `ended` or `revoked`; None if it is not known."""
        return self._end_reason

    @property
    def player(self) -> Optional[OwnPlayer]:
        """The player: wallet, userId, username (as others see it), isNamed, avatar (a URL) and isGuest.

        None for a client without a player, and for one created with a token instead of with `connect`.
        """
        return self._session.player

    def leaderboard(self, name: str = "default") -> Leaderboard:
        """The leaderboard of this name in the player's game; without a name, the default one."""
        return self._leaderboards.get(name)

    @property
    def config(self) -> Config:
        """The game's config."""
        return self._config

    @property
    def refusal(self) -> Optional[GantryError]:
        """With the status `refused`: why, with what to install if the game is too old (`update`)."""
        return self._refusal

    @property
    def friends(self) -> Friends:
        """The player's friends, with their presence."""
        return self._friends

    @property
    def cursors(self) -> dict[str, dict[str, Any]]:
        """The position in every stream. A `store` persists it across restarts."""
        return self._events.positions

    def on(self, name: str, listener: Listener) -> Callable[[], None]:
        """Calls the listener with the record and its meta for each event of this name, once and in order.

        Returns a function that unsubscribes. Raises ValueError for a name that no event has.
        """
        return self._events.on(name, listener)

    def on_resync(self, listener: Callable[[str], Any]) -> Callable[[], None]:
        """Calls the listener with each stream whose history is not available: reload the stream's data."""
        return self._events.on_resync(listener)

    def on_status(self, listener: Callable[[str], Any]) -> Callable[[], None]:
        """Calls the listener with each new `status`."""
        return added(self._status_listeners, listener)

    def on_queued(
        self, listener: Callable[[dict[str, Any], Any, Optional[GantryError]], Any]
    ) -> Callable[[], None]:
        """Calls the listener with each completed queued call and its response or error.

        Calls queued before a restart of the game are included.
        """
        return added(self._queue_listeners, listener)

    def ready(self, timeout: Optional[float] = None) -> None:
        """Waits until the connection is live; `timeout` in seconds, by default that of a call.

        Raises GantryError when it is refused, and with `connection_lost` after the timeout: the client continues to try.
        """
        wait = self._timeout if timeout is None else timeout
        if self._connection is not None:
            self._connection.start()
        if not self._wait_until_live(time.monotonic() + wait):
            message = f"No connection to Gantry at {self._url} after {wait:g} s; the client continues to try"
            raise client_error("connection_lost", message)

    def _wait_until_live(self, until: Optional[float] = None) -> bool:
        """Returns False if it is not live at `until`, in seconds of the monotonic clock. Raises GantryError."""
        while not self._closed.is_set():
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            if not self._threaded:
                self.poll(0.05 if left is None else min(left, 0.05))
            with self._settled:
                if self._status == "live":
                    return True
                if self._status in FINAL:
                    raise self._refused()
                if self._threaded:
                    self._settled.wait(left)
        raise client_error("client_closed", "The client was closed")

    def poll(self, timeout: float = 0.0) -> None:
        """With `threaded=False`: runs the listeners of received events; waits at most `timeout` seconds for the first."""
        try:
            self._take(self._told.get(timeout=timeout) if timeout > 0 else self._told.get_nowait())
            while True:
                self._take(self._told.get_nowait())
        except queue.Empty:
            return

    def close(self) -> None:
        """Closes the connection permanently; queued calls stay in the store for the next client."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._session.close()
        self._config.close()
        self._writer.save()
        if self._connection is not None:
            self._connection.close()
        self._told.put(("closed",))
        with self._settled:
            self._settled.notify_all()

    def __enter__(self) -> "GantryClient":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def as_player(self, launcher_jwt: str) -> Operations:
        """Calls with another token, as a launcher does for a game's session."""
        return CallsWith(self._call, {"launcherJwt": launcher_jwt})

    def for_player(self, wallet: str) -> Operations:
        """Calls for a player, as a game's server with its `game_secret`."""
        return CallsWith(self._call, {"wallet": wallet})

    def queue(self, method: str, **arguments: Any) -> "Future[Any]":
        """Queues a call, which is sent when there is a connection and retried until the server responds.

        `client.queue("set_user_score", score=1200)`: queued calls are executed once and in order, with a `store` even
        across restarts of the game. Raises ValueError for an operation that cannot be retried, and GantryError for
        arguments that have no form in JSON.
        """
        return self._queue.add(*recorded(method, arguments))

    @property
    def queued(self) -> list[dict[str, Any]]:
        """The queued calls that have no response yet."""
        return self._queue.calls

    def _call(
        self, operation: str, data: dict[str, Any], cancelled: Optional[threading.Event] = None
    ) -> Any:
        attempt = 0
        while True:
            try:
                answer = self._call_once(operation, data, cancelled)
                break
            except GantryError as error:
                delay = retry_delay(error, attempt, operation, data)
                if attempt >= self._retries or delay is None or delay > self._max_retry_delay:
                    raise
                attempt += 1
                self._pause(delay)
        if "launcherJwt" not in data:
            self._called(operation, answer)
        return answer

    def _call_once(
        self, operation: str, data: dict[str, Any], cancelled: Optional[threading.Event] = None
    ) -> Any:
        """Once, or again in the next session if this one has expired."""
        if "launcherJwt" in data:
            return self._send_in_session(operation, data, cancelled)
        return self._own_presence.remember(
            operation, data, lambda: self._send_in_session(operation, data, cancelled)
        )

    def _send_in_session(self, operation: str, data: dict[str, Any], cancelled: Optional[threading.Event]) -> Any:
        number = self._session.number
        try:
            return self._send(operation, data, cancelled)
        except GantryError as error:
            if "launcherJwt" in data:
                raise
            if error.update is not None and self._status not in FINAL:
                if self._connection is not None:
                    self._connection.close()
                self._end("refused", error)
            if error.reason not in ("token_expired", "session_ended"):
                raise
            if error.reason != "token_expired" or not self._session.follow(number):
                if self._connection is None:  # which would tell the end of the session
                    self._end("refused", error)
                raise
        if self._connection is not None:
            self._connection.drop()
        return self._send(operation, data, cancelled)

    def _send(self, operation: str, data: dict[str, Any], cancelled: Optional[threading.Event]) -> Any:
        if self._closed.is_set() or (cancelled is not None and cancelled.is_set()):
            raise client_error("client_closed", "The client was closed")
        over_http = self._over_http and operation not in SOCKET_ONLY
        if over_http or self._connection is None:
            if self._session.token is not None:
                data = {"launcherJwt": self._session.token, **data}
            # With a secret, the wallet is the player called for.
            wallet = (self._game_secret and data.get("wallet")) or self._session.wallet
            player = wallet if self._route_by_player and wallet else None
            return call_over_http(
                self._url, operation, data, self._game_secret, self._timeout, self._game_version, player
            )
        if self._status in FINAL:
            raise self._refused()  # there will be no connection to send it over
        sent_json_of([operation, "launcher", data, {}, FRAME_START])  # python-socketio would drop the connection
        return self._connection.call(operation, data, self._timeout, cancelled)

    def _called(self, operation: str, answer: Any) -> None:
        if operation == "subscribe":
            self._events.subscribed(answer)
        elif operation == "unsubscribe":
            self._events.unsubscribed(answer["stream"])
        elif operation == "followPresence":
            self._own_presence.learn(answer.get("own"))
        elif operation == "setUsername" and self._session.player is not None:
            self._session.read_player()

    def _end(self, status: str, refusal: Optional[GantryError] = None) -> None:
        self._refusal = self._session.refusal or refusal
        self._set_status(status)

    def _wait_until_callable(self) -> None:
        if not self._over_http:
            self._wait_until_live()
        elif self._closed.is_set():
            raise client_error("client_closed", "The client was closed")
        elif self._status in FINAL:
            raise self._refused()

    def _pause(self, seconds: float) -> None:
        self._closed.wait(seconds)

    def _handshake(self) -> dict[str, Any]:
        self._connected_session = self._session.number
        status = self._own_presence.status
        given = {"launcherJwt": self._session.token, "gameSecret": self._game_secret, "status": status}
        given.update(gameVersion=self._game_version, gantryVersion=VERSION)
        return {**{name: value for name, value in given.items() if value is not None}, **self._events.to_send}

    def _listen(self) -> None:
        while True:
            # Save the cursors of handled events when no event arrives for some time.
            try:
                told = self._told.get(timeout=self._writer.wait)
            except queue.Empty:
                self._writer.save()
                continue
            if told[0] == "closed":
                return
            try:
                self._take(told)
            except Exception:  # later events must still be delivered
                _log.exception("an event could not be handled")

    def _take(self, told: tuple[Any, ...]) -> None:
        what = told[0]
        if what == "connected":
            self._taking = told[1]
            if self._session.token is None:
                self._set_status("live")
        elif what == "event":
            if told[1] == self._taking and not self._closed.is_set():
                self._receive(told[1], told[2], told[3])
        elif what == "lost":
            self._set_status("connecting")
        elif what == "cursors_invalid":
            self._events.forget()
        elif what == "run":
            if not self._closed.is_set():
                told[1]()
        elif what == "released":
            held, self._held = self._held or [], None
            for one in held:
                self._handle(*one)
        elif what == "ended":
            self._end_reason = told[1]
            self._set_status("ended")
        elif what == "refused":
            self._end("refused", told[1])

    def _release(self) -> None:
        """Handles the events that were held back until listeners are added, and sends what is queued."""
        self._told.put(("released",))
        self._queue.release()

    def _receive(self, number: int, name: str, arguments: tuple[Any, ...]) -> None:
        record = arguments[0] if arguments else {}
        meta = arguments[1] if len(arguments) > 1 else {}
        if name == "realtime-events connected":
            # Not held back: the program may subscribe, or the connection be lost, before its listeners are added.
            meta = {"missed": self._events.begin(record["streams"])}
        elif name == "friend-presence patched":
            self._own_presence.learn(record.get("own"))
        if self._held is None:
            self._handle(number, name, record, meta)
        else:
            self._held.append((number, name, record, meta))
        if name == "realtime-events connected":
            self._own_presence.repeat(self._repeat)
            self._set_status("live")

    def _repeat(self, operation: str, data: Mapping[str, Any]) -> bool:
        try:
            self._send(operation, dict(data), None)
            return True
        except GantryError as error:  # lost with this connection, or refused by now
            _log.debug("%s could not be sent again: %r", operation, error)
            return False

    def _handle(self, number: int, name: str, record: dict[str, Any], meta: dict[str, Any]) -> None:
        if name == "realtime-events connected":
            self._events.begun(meta["missed"])
            if record.get("warning") not in (None, self._warning):
                self._warning = record["warning"]
                _log.warning("%s", self._warning)
        elif meta.get("stream") and not self._events.receive(name, record, meta):
            self._taking = 0
            self._set_status("connecting")
            if self._connection is not None:
                self._connection.drop(number)
            return
        self._writer.save_soon()

    def _state(self) -> dict[str, Any]:
        return {**self._saved, **self._session.to_save, **self._events.to_save, "queue": self._queue.calls}

    def _queue_settled(self, call: dict[str, Any], answer: Any, error: Optional[GantryError]) -> None:
        if self._threaded:
            run_all(self._queue_listeners, call, answer, error)
        else:
            self._told.put(("run", lambda: run_all(self._queue_listeners, call, answer, error)))

    def _set_status(self, status: str) -> None:
        with self._settled:
            if status == self._status == "connecting":
                return
            self._status = status
            self._settled.notify_all()
        run_all(self._status_listeners, status)

    def _refused(self) -> GantryError:
        if self._refusal is not None:
            return self._refusal
        return session_ended()
