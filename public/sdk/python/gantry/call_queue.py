from __future__ import annotations

import json
import secrets
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Mapping, Optional

from .errors import GantryError, client_error
from .http_call import json_of
from .names import REPEATABLE_WITH_KEY

#: How long a call may be retried: the server keeps idempotency keys for a day, less an hour for clock skew.
KEYS_LAST_SECONDS = 23 * 60 * 60
#: The delay before a retry when the server specifies none.
RETRY_SECONDS = 1.0


class CallQueue:
    """A FIFO queue of calls, each retried until the server responds, across lost connections and restarts."""

    def __init__(
        self,
        call: Callable[[str, dict[str, Any]], Any],
        connected: Callable[[], None],
        pause: Callable[[float], None],
        save: Callable[[], None],
        settled: Callable[[dict[str, Any], Any, Optional[GantryError]], None],
        restored: list[dict[str, Any]],
    ) -> None:
        self._call = call
        self._connected = connected
        self._pause = pause
        self._save = save
        self._settled = settled
        self._lock = threading.Lock()
        self._calls = [dict(one) for one in restored]
        self._futures: dict[str, Future[Any]] = {}
        self._is_sending = False
        self._is_held = True

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that have no response yet, as JSON values."""
        with self._lock:
            return [dict(one) for one in self._calls]

    def add(self, operation: str, data: Mapping[str, Any]) -> "Future[Any]":
        """Copies the data: the game may change its objects before they are sent.

        Raises GantryError, `input_invalid`, if they have no form in JSON: they could be neither sent nor stored.
        """
        call: dict[str, Any] = {
            "operation": operation,
            "input": json.loads(json_of(data)),
            "idempotencyKey": secrets.token_hex(16),
            "queuedAt": int(time.time() * 1000),
        }
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # it stays in the queue even if nobody waits for it any more
        with self._lock:
            self._calls.append(call)
            self._futures[call["idempotencyKey"]] = future
        self._save()
        self.send()
        return future

    def release(self) -> None:
        """Sends the queued calls from now on: their listeners have been added."""
        self._is_held = False
        self.send()

    def send(self) -> None:
        """Starts sending the queued calls."""
        with self._lock:
            if self._is_held or self._is_sending or not self._calls:
                return
            self._is_sending = True
        threading.Thread(target=self._send_all, name="gantry-queue", daemon=True).start()

    def _send_all(self) -> None:
        while True:
            with self._lock:
                if not self._calls:
                    self._is_sending = False
                    return
                call = self._calls[0]
            try:
                answer, error = self._send_until_answered(call)
            except GantryError as over:
                with self._lock:
                    self._is_sending = False
                    waiting = list(self._futures.values())
                    self._futures.clear()
                for future in waiting:
                    future.set_exception(over)
                return
            with self._lock:
                self._calls.pop(0)
                answered: Optional[Future[Any]] = self._futures.pop(call["idempotencyKey"], None)
            self._save()
            if answered is not None:
                answered.set_exception(error) if error is not None else answered.set_result(answer)
            self._settled(call, answer, error)

    def _send_until_answered(self, call: dict[str, Any]) -> tuple[Any, Optional[GantryError]]:
        """The response, or the error it was permanently refused with.

        Raises GantryError if the client will not reconnect: the calls stay in the queue for the next client.
        """
        operation = call["operation"]
        while True:
            self._connected()
            age = time.time() - call.get("sentAt", call["queuedAt"]) / 1000
            if call.get("isSent") and age > KEYS_LAST_SECONDS:
                message = f"{operation} was sent too long ago to be retried; it may have been executed"
                return None, client_error("queue_expired", message)
            was_sent = call.get("isSent")
            if not was_sent:
                call["sentAt"] = int(time.time() * 1000)
            call["isSent"] = True
            self._save()
            data = dict(call["input"])
            if operation in REPEATABLE_WITH_KEY:
                data["idempotencyKey"] = call["idempotencyKey"]
            try:
                return self._call(operation, data), None
            except GantryError as error:
                if error.reason == "client_closed" or error.update is not None:  # the game's next version sends it
                    raise
                # When the session has ended, there is either another one or no connection any more.
                is_end = error.reason in ("session_ended", "token_expired")
                if error.code not in (0, 429, 503) and not is_end:
                    return None, error
                if error.code in (429, 503) and not was_sent:  # nothing was executed
                    del call["isSent"], call["sentAt"]
                    self._save()
                wait = error.retry_after_seconds
                self._pause(RETRY_SECONDS if wait is None else wait)
