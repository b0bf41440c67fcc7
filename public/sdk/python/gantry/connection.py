from __future__ import annotations

import importlib.util
import json
import logging
import queue
import random
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Iterable, Optional

from .errors import GantryError, client_error, connection_lost, session_ended
from .http_call import json_of

_log = logging.getLogger("gantry")

#: The delays before connecting again, in seconds: PROTOCOL.md, sections 3 and 6.
FIRST_DELAY = 0.25
LONGEST_DELAY = 5.0
REFUSED_DELAY = 1.0
RATE_LIMITED_DELAY = 10.0
#: The timeout for opening a connection, in seconds.
OPENING_TIMEOUT = 20.0
NEVER = -1.0
#: The module that python-socketio needs for each transport; without it, it would fail as if there were no network.
TRANSPORT_MODULES = {"websocket": "websocket", "polling": "requests"}


def require_modules(transports: Iterable[str]) -> None:
    """Raises ImportError, saying what to install, if a module that a connection needs is missing."""
    for module in ("socketio", *(TRANSPORT_MODULES[name] for name in transports if name in TRANSPORT_MODULES)):
        if importlib.util.find_spec(module) is None:
            raise ImportError(
                f'Live events need the module {module}: pip install "python-socketio[client]" (on Debian: apt-get install '
                "python3-socketio python3-websocket). Calls over HTTP work without it, with connect=False",
                name=module,
            )


def _socket_class() -> Any:
    import engineio
    import socketio

    class Utf8Json:
        loads = staticmethod(json.loads)

        @staticmethod
        def dumps(data: Any, **_: Any) -> str:
            return json_of(data)

    class Packet(socketio.packet.Packet):
        json = Utf8Json

    class Outgoing(queue.Queue):  # type: ignore[type-arg]
        """python-engineio ends its sending thread by a None, and waits 30 s when that was taken with packets before it."""

        Empty = queue.Empty
        is_over = False

        def put(self, item: Any, block: bool = True, timeout: Optional[float] = None) -> None:
            self.is_over = self.is_over or item is None
            super().put(item, block, timeout)

        def get(self, block: bool = True, timeout: Optional[float] = None) -> Any:
            if block and self.is_over and self.empty():
                super().put(None)
            return super().get(block, timeout)

    class InOrder(engineio.Client):
        """python-engineio handles each message in a thread of its own, in no order; this one, as they come."""

        def create_queue(self, *_: Any, **__: Any) -> Any:
            return Outgoing()

        def _trigger_event(self, event: str, *args: Any, **kwargs: Any) -> Any:
            if event == "message":
                kwargs["run_async"] = False
            return super()._trigger_event(event, *args, **kwargs)

    class Socket(socketio.Client):
        def __init__(self) -> None:
            super().__init__(reconnection=False, serializer=Packet)

        #: Whether the server sent a disconnect packet, which it does only when the session has ended.
        has_ended = False

        def _engineio_client_class(self) -> Any:
            return InOrder

        #: Called once the transport is gone, also when it was never used, or the session has ended.
        on_over: Callable[[], None]

        def _handle_disconnect(self, namespace: Optional[str]) -> None:
            self.has_ended = True
            super()._handle_disconnect(namespace)
            self.on_over()  # python-socketio ignores a goodbye that comes before its connect() has returned

        def _handle_eio_disconnect(self, *arguments: Any) -> None:
            super()._handle_eio_disconnect(*arguments)
            self.on_over()

    return Socket


class Connection:
    """Connects, and reconnects whenever the connection is lost, until the session ends or it is closed.

    It calls `tell` with everything that happens, in order: ("connected", number), ("event", number, name,
    arguments), ("lost", number), ("cursors_invalid",), ("ended", reason), ("refused", error). The number is the
    connection's. `sign_in` opens the next session when one has expired, and returns whether it could; `reduce_status`
    changes a handshake that was refused for a reason, and returns whether it could. It connects after `delay` seconds, or
    at the first call or `start`.
    """

    def __init__(
        self,
        url: str,
        handshake: Callable[[], dict[str, Any]],
        tell: Callable[..., None],
        transports: list[str],
        sign_in: Callable[[], bool],
        reduce_status: Callable[[str], bool],
        delay: float,
    ) -> None:
        self._url = url
        self._handshake = handshake
        self._sign_in = sign_in
        self._reduce_status = reduce_status
        self._tell = tell
        self._transports = transports
        self._delay = delay
        self._started = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._is_over = False
        #: Why it is over; None if it was closed.
        self._ending: Optional[GantryError] = None
        self._socket: Any = None
        self._number = 0
        self._pending: set[Future[Any]] = set()
        self._is_dropped = False
        self._lost = threading.Event()
        self._has_cleared_cursors = False
        #: Whether the session is new and has not been live yet: if it is refused, another would be too.
        self._is_new_session = False
        self._session_id: Optional[str] = None
        self._end_reason: Optional[str] = None
        self._thread = threading.Thread(target=self._run, name="gantry-connection", daemon=True)
        self._thread.start()

    def start(self) -> None:
        """Connects now, if the delay before the first connection is not over."""
        self._started.set()

    def call(
        self,
        operation: str,
        data: dict[str, Any],
        timeout: float,
        cancelled: Optional[threading.Event] = None,
    ) -> Any:
        """Waits until there is a connection. Raises GantryError: `connection_lost` after `timeout` seconds."""
        until = time.monotonic() + timeout
        future: Future[Any] = Future()
        self.start()

        def answered(error: Any = None, result: Any = None) -> None:
            if not future.done():
                future.set_exception(GantryError(error)) if error else future.set_result(result)

        with self._changed:
            self._changed.wait_for(lambda: self._socket is not None or self._is_over, timeout)
            socket = self._socket
            if socket is None and self._ending is not None:
                raise self._ending
            if socket is None and self._closed.is_set():
                raise client_error("client_closed", "The client was closed")
            if socket is None or (cancelled is not None and cancelled.is_set()):
                raise connection_lost(self._url)
            self._pending.add(future)
        try:
            socket.emit(operation, ("launcher", data, {}), callback=answered)
            return future.result(max(0.0, until - time.monotonic()))
        except GantryError:
            raise
        except (FutureTimeout, Exception):  # the socket's own errors say that it is not connected
            raise connection_lost(self._url) from None
        finally:
            with self._lock:
                self._pending.discard(future)

    def drop(self, number: Optional[int] = None) -> None:
        """Drops the connection, or the one of this number if it is still the current one; reconnects immediately."""
        with self._lock:
            if number in (None, self._number) and self._socket is not None:
                self._is_dropped = True
                self._socket = None
                self._lost.set()

    def close(self) -> None:
        self._closed.set()
        self.start()
        with self._lock:
            self._lost.set()

    def _run(self) -> None:
        socket_class = _socket_class()
        failures = 0
        self._started.wait(self._delay)
        while not self._closed.is_set():
            was_connected, asked = self._connect_once(socket_class)
            if was_connected:
                failures = 0
            if asked == NEVER:
                with self._changed:
                    self._is_over = True
                    self._changed.notify_all()
                return
            usual = min(LONGEST_DELAY, FIRST_DELAY * 2**failures) * random.uniform(0.5, 1.5)
            failures += 1
            _log.debug("connected: %s; next: %s or %.2f s", was_connected, asked, usual)
            self._closed.wait(usual if asked is None else asked)

    def _connect_once(self, socket_class: Any) -> tuple[bool, Optional[float]]:
        """Until it is over. Returns whether it was connected, and the wait before the next, in seconds, if it is not the usual."""
        socket = socket_class()
        opened, over = threading.Event(), threading.Event()
        refusals: list[Any] = []
        was_connected = False
        with self._lock:
            self._number += 1
            number = self._number
            self._is_dropped = False
            self._lost = over
            if self._closed.is_set():
                return False, NEVER

        def on_connect() -> None:
            nonlocal was_connected
            was_connected = True
            with self._changed:
                self._socket = socket
                self._changed.notify_all()
            self._tell("connected", number)
            opened.set()

        def on_refused(refusal: Any = None) -> None:
            refusals.append(refusal)
            on_lost()

        def on_lost() -> None:
            over.set()
            opened.set()

        socket.on("connect", on_connect)
        socket.on("connect_error", on_refused)
        socket.on("*", lambda name, *arguments: self._receive(number, name, arguments))
        socket.on_over = on_lost
        try:
            socket.connect(self._url, auth=self._handshake(), transports=self._transports, wait=False)
            if opened.wait(OPENING_TIMEOUT) and not self._closed.is_set():
                over.wait()
        except Exception as error:  # the network's
            _log.debug("could not connect: %r", error)
        with self._lock:
            self._socket = None
            pending = list(self._pending)
            is_dropped = self._is_dropped
        self._hang_up(socket)
        for future in pending:
            if not future.done():
                future.set_exception(connection_lost(self._url))
        if self._closed.is_set():
            return was_connected, NEVER
        if socket.has_ended:
            if self._end_reason == "expired":
                self._tell("lost", number)
                if self._has_signed_in():
                    return was_connected, 0.0
            if not self._closed.is_set():
                self._ending = session_ended()
                self._tell("ended", self._end_reason)
            return was_connected, NEVER
        refusal = refusals[0] if refusals else None
        body = refusal.get("data") if isinstance(refusal, dict) else None
        if isinstance(body, dict):
            return was_connected, self._after_refusal(body)
        if was_connected:
            self._tell("lost", number)
        return was_connected, 0.0 if is_dropped else None

    def _receive(self, number: int, name: str, arguments: tuple[Any, ...]) -> None:
        record = arguments[0] if arguments else {}
        if name == "realtime-events connected":
            self._session_id = record.get("sessionId")
            self._is_new_session = False
        elif name == "game-channels patched" and record.get("_id") == self._session_id:
            self._end_reason = None if record.get("exists") else record.get("endReason")
        self._tell("event", number, name, arguments)

    def _has_signed_in(self) -> bool:
        if self._is_new_session or not self._sign_in():
            return False
        self._is_new_session = True
        return True

    def _hang_up(self, socket: Any) -> None:
        try:
            ws = socket.eio.ws
            if ws is None:
                socket.disconnect()
                return
            # Nothing need be said first, and python-engineio leaves open what the server has closed.
            ws.abort()
            socket.eio.read_loop_task.join(5)
            ws.shutdown()
        except Exception as error:  # it is already closed
            _log.debug("could not hang up: %r", error)

    def _after_refusal(self, body: dict[str, Any]) -> float:
        error = GantryError(body)
        if error.reason == "cursors_invalid" and not self._has_cleared_cursors:
            self._has_cleared_cursors = True
            self._tell("cursors_invalid")
            return FIRST_DELAY
        if error.code == 429 or error.code >= 500:
            usual = RATE_LIMITED_DELAY if error.code == 429 else REFUSED_DELAY
            return usual if error.retry_after_seconds is None else error.retry_after_seconds
        if error.is_expiry and self._has_signed_in():
            return 0.0
        if self._reduce_status(error.reason):
            return 0.0
        self._ending = error
        self._tell("refused", error)
        return NEVER
