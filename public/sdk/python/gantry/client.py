from __future__ import annotations

import logging
import queue
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Mapping, Optional

from .call_queue import CallQueue
from .cursors import Cursors
from .errors import GantryError, client_error
from .http_call import call_over_http
from .names import REPEATABLE, REPEATABLE_WITH_KEY
from .operations import Operations
from .store import Store

_log = logging.getLogger("gantry")

#: The delay before a call's first retry when the server specifies none, in seconds; it doubles each time.
FIRST_RETRY_DELAY = 0.25
#: The minimum interval between two saves to the store, in seconds; queued calls are saved immediately.
SAVE_INTERVAL = 0.1

Listener = Callable[[dict[str, Any], dict[str, Any]], Any]


class GantryClient(Operations):
    """A player's connection, or that of a game's server: calls, and live events.

    It connects and reconnects automatically and sends its cursors, so that missed events are replayed; a duplicate
    event is delivered once. Without `launcher_jwt`, no events are received. With `call_over="http"`, calls are sent over
    HTTP; with `connect=False`, no connection is opened, which suits a game's server.

    `timeout` is the timeout of a call, in seconds. A call that was not executed (429, 503) is retried after
    `Retry-After`, at most `retries` times, and not if the delay is longer than `max_retry_delay` seconds; so is a call
    whose response was lost, if it is idempotent: a read, or a write with an `idempotency_key`.

    Listeners run in a thread of the client, one at a time. With `threaded=False`, they run in `poll`, which a game calls
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
    ) -> None:
        self._url = url
        self._launcher_jwt = launcher_jwt
        self._game_secret = game_secret
        self._store = store
        self._over_http = call_over == "http" or not connect
        self._timeout = timeout
        self._retries = retries
        self._max_retry_delay = max_retry_delay
        self._threaded = threaded
        self._saved: dict[str, Any] = (store.load() if store is not None else None) or {}
        known = cursors if cursors is not None else self._saved.get("cursors") or {}
        self._cursors = Cursors(known, self._saved.get("notifications") or [])
        #: The cursors to save: only of events whose listeners have run.
        self._handled = {stream: dict(at) for stream, at in self._cursors.positions.items()}
        self._handling: Optional[str] = None
        self._lock = threading.RLock()
        self._saved_at = 0.0
        self._closed = threading.Event()
        self._status = "connecting"
        self._refusal: Optional[GantryError] = None
        self._settled = threading.Condition(self._lock)
        self._told: "queue.Queue[tuple[Any, ...]]" = queue.Queue()
        #: The number of the connection whose events are accepted.
        self._taking = 0
        self._listeners: dict[str, list[Listener]] = {}
        self._status_listeners: list[Callable[[str], Any]] = []
        self._resync_listeners: list[Callable[[str], Any]] = []
        self._queue_listeners: list[Callable[[dict[str, Any], Any, Optional[GantryError]], Any]] = []
        self._queue = CallQueue(
            self._call_once,
            self._wait_until_callable,
            self._pause,
            self._save,
            self._queue_settled,
            self._saved.get("queue") or [],
        )
        self._connection = None
        if connect:
            from .connection import Connection

            if threaded:
                threading.Thread(target=self._listen, name="gantry-events", daemon=True).start()
            self._connection = Connection(
                url, self._handshake, lambda *told: self._told.put(told), list(transports)
            )
        self._queue.send()

    @property
    def status(self) -> str:
        """`connecting`, `live`, `ended` (the session) or `refused`; the client does not reconnect after the last two."""
        return self._status

    @property
    def cursors(self) -> dict[str, dict[str, Any]]:
        """The position in every stream. A `store` persists it across restarts."""
        with self._lock:
            return {stream: dict(at) for stream, at in self._cursors.positions.items()}

    def on(self, name: str, listener: Listener) -> Callable[[], None]:
        """Calls the listener with the record and its meta for each event of this name, once and in order.

        Returns a function that unsubscribes.
        """
        listeners = self._listeners.setdefault(name, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    def on_resync(self, listener: Callable[[str], Any]) -> None:
        """Calls the listener with each stream whose history is not available: reload the stream's data."""
        self._resync_listeners.append(listener)

    def on_status(self, listener: Callable[[str], Any]) -> None:
        self._status_listeners.append(listener)

    def on_queued(self, listener: Callable[[dict[str, Any], Any, Optional[GantryError]], Any]) -> None:
        """Calls the listener with each completed queued call and its response or error.

        Calls queued before a restart of the game are included.
        """
        self._queue_listeners.append(listener)

    def ready(self, timeout: Optional[float] = None) -> None:
        """Waits until the connection is live; `timeout` in seconds, by default that of a call.

        Raises GantryError when it is refused, and with `connection_lost` after the timeout: the client continues to try.
        """
        wait = self._timeout if timeout is None else timeout
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
                if self._status in ("ended", "refused"):
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
        self._save()
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
        return _CallsWith(self, {"launcherJwt": launcher_jwt})

    def for_player(self, wallet: str) -> Operations:
        """Calls for a player, as a game's server with its `game_secret`."""
        return _CallsWith(self, {"wallet": wallet})

    def queue(self, method: str, **arguments: Any) -> "Future[Any]":
        """Queues a call, which is sent when there is a connection and retried until the server responds.

        `client.queue("set_user_score", score=1200)`: queued calls are executed once and in order, with a `store` even
        across restarts of the game. Raises ValueError for an operation that cannot be retried.
        """
        recorder = _Recorder()
        getattr(recorder, method)(**arguments)
        operation, data = recorder.recorded
        if operation not in REPEATABLE and operation not in REPEATABLE_WITH_KEY:
            raise ValueError(f"{method} cannot be retried, and therefore cannot be queued")
        return self._queue.add(operation, data)

    @property
    def queued(self) -> list[dict[str, Any]]:
        """The queued calls that have no response yet."""
        return self._queue.calls

    def subscribe(self, *, game_id: Optional[str] = None) -> Any:
        answer = super().subscribe(game_id=game_id)
        with self._lock:
            own = self._cursors.positions.get(answer["stream"])
            if own is None or own["epoch"] != answer["epoch"]:
                self._cursors.positions[answer["stream"]] = {"epoch": answer["epoch"], "seq": answer["seq"]}
        return answer

    def unsubscribe(self, *, game_id: Optional[str] = None) -> Any:
        answer = super().unsubscribe(game_id=game_id)
        with self._lock:  # with a cursor, the next connection would subscribe again
            self._cursors.positions.pop(answer["stream"], None)
        return answer

    def _call(self, operation: str, data: dict[str, Any]) -> Any:
        attempt = 0
        while True:
            try:
                return self._call_once(operation, data)
            except GantryError as error:
                delay = self._retry_delay(error, attempt, operation, data)
                if attempt >= self._retries or delay is None or delay > self._max_retry_delay:
                    raise
                attempt += 1
                self._pause(delay)

    def _retry_delay(
        self, error: GantryError, attempt: int, operation: str, data: dict[str, Any]
    ) -> Optional[float]:
        is_harmless = operation in REPEATABLE or (
            operation in REPEATABLE_WITH_KEY and data.get("idempotencyKey") is not None
        )
        # With 429 and 503, nothing was executed.
        if error.code not in (429, 503) and not (error.reason == "connection_lost" and is_harmless):
            return None
        wait = error.retry_after_seconds
        return FIRST_RETRY_DELAY * 2**attempt if wait is None else wait

    def _call_once(self, operation: str, data: dict[str, Any]) -> Any:
        if self._closed.is_set():
            raise client_error("client_closed", "The client was closed")
        if self._over_http or self._connection is None:
            if self._launcher_jwt is not None:
                data = {"launcherJwt": self._launcher_jwt, **data}
            return call_over_http(self._url, operation, data, self._game_secret, self._timeout)
        if self._status in ("ended", "refused"):
            raise self._refused()  # there will be no connection to send it over
        return self._connection.call(operation, data, self._timeout)

    def _wait_until_callable(self) -> None:
        if self._over_http:
            if self._closed.is_set():
                raise client_error("client_closed", "The client was closed")
        else:
            self._wait_until_live()

    def _pause(self, seconds: float) -> None:
        self._closed.wait(seconds)

    def _handshake(self) -> dict[str, Any]:
        with self._lock:
            sent = self._cursors.to_send()
        given = {"launcherJwt": self._launcher_jwt, "gameSecret": self._game_secret}
        return {**{name: value for name, value in given.items() if value is not None}, **sent}

    def _listen(self) -> None:
        while True:
            # Save the cursors of handled events when no event arrives for some time.
            wait = SAVE_INTERVAL if self._is_unsaved() else None
            try:
                told = self._told.get(timeout=wait)
            except queue.Empty:
                self._save()
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
            if self._launcher_jwt is None:
                self._set_status("live")
        elif what == "event":
            if told[1] == self._taking and not self._closed.is_set():
                self._receive(told[1], told[2], told[3])
        elif what == "lost":
            self._set_status("connecting")
        elif what == "cursors_invalid":
            with self._lock:
                self._cursors.positions.clear()
        elif what == "ended":
            self._set_status("ended")
        elif what == "refused":
            self._refusal = told[1]
            self._set_status("refused")

    def _receive(self, number: int, name: str, arguments: tuple[Any, ...]) -> None:
        record = arguments[0] if arguments else {}
        meta = arguments[1] if len(arguments) > 1 else {}
        if name == "realtime-events connected":
            with self._lock:
                missed, _ = self._cursors.begin(record["streams"])
            for stream in missed:
                for listener in list(self._resync_listeners):
                    self._run(listener, stream)
            with self._lock:
                self._handled = {stream: dict(at) for stream, at in self._cursors.positions.items()}
            self._set_status("live")
        elif meta.get("stream"):
            with self._lock:
                self._handling = record.get("_id")
                verdict = self._cursors.judge(name, meta, record.get("_id"))
            if verdict == "gap":
                self._taking = 0
                self._handling = None
                self._set_status("connecting")
                if self._connection is not None:
                    self._connection.drop(number)
                return
            if verdict == "take":
                for listener in list(self._listeners.get(name, ())):
                    self._run(listener, record, meta)
            with self._lock:
                self._handling = None
                self._handled = dict(self._cursors.positions)
        self._unsaved = True
        if time.monotonic() - self._saved_at >= SAVE_INTERVAL:
            self._save()

    _unsaved = False

    def _is_unsaved(self) -> bool:
        return self._unsaved and self._store is not None

    def _save(self) -> None:
        with self._lock:
            self._unsaved = False
            self._saved_at = time.monotonic()
            if self._store is None:
                return
            self._run(
                self._store.save,
                {
                    **self._saved,
                    "cursors": {stream: dict(at) for stream, at in self._handled.items()},
                    "notifications": [one for one in self._cursors.notifications if one != self._handling],
                    "queue": self._queue.calls,
                },
            )

    def _queue_settled(self, call: dict[str, Any], answer: Any, error: Optional[GantryError]) -> None:
        for listener in list(self._queue_listeners):
            self._run(listener, call, answer, error)

    def _set_status(self, status: str) -> None:
        with self._settled:
            self._status = status
            self._settled.notify_all()
        for listener in list(self._status_listeners):
            self._run(listener, status)

    def _refused(self) -> GantryError:
        if self._refusal is not None:
            return self._refusal
        body = {"message": "The session has ended", "code": 401, "data": {"reason": "session_ended"}}
        return GantryError(body)

    def _run(self, listener: Callable[..., Any], *arguments: Any) -> None:
        try:
            listener(*arguments)
        except Exception:  # the other listeners must still be called
            _log.exception("a listener or the store failed")


class _CallsWith(Operations):
    """The client's operations with additional fields in each call."""

    def __init__(self, client: GantryClient, fields: dict[str, Any]) -> None:
        self._client = client
        self._fields = fields

    def _call(self, operation: str, data: dict[str, Any]) -> Any:
        return self._client._call(operation, {**self._fields, **data})


class _Recorder(Operations):
    """Records a call instead of sending it."""

    recorded: tuple[str, dict[str, Any]]

    def _call(self, operation: str, data: dict[str, Any]) -> Any:
        self.recorded = (operation, data)
