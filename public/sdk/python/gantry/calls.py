from __future__ import annotations

from typing import Any, Callable, Optional

from .errors import GantryError
from .names import REPEATABLE, REPEATABLE_WITH_KEY
from .operations import Operations

#: The delay before a call's first retry when the server specifies none, in seconds; it doubles each time.
FIRST_RETRY_DELAY = 0.25


def retry_delay(error: GantryError, attempt: int, operation: str, data: dict[str, Any]) -> Optional[float]:
    """The delay before the next attempt, in seconds; None if the call may not be repeated."""
    is_harmless = operation in REPEATABLE or (
        operation in REPEATABLE_WITH_KEY and data.get("idempotencyKey") is not None
    )
    # With 429 and 503, nothing was executed.
    if error.code not in (429, 503) and not (error.reason == "connection_lost" and is_harmless):
        return None
    wait = error.retry_after_seconds
    return FIRST_RETRY_DELAY * 2**attempt if wait is None else wait


class CallsWith(Operations):
    """A client's operations with additional fields in each call."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any], fields: dict[str, Any]) -> None:
        self._call_with = call
        self._fields = fields

    def _call(self, operation: str, data: dict[str, Any]) -> Any:
        return self._call_with(operation, {**self._fields, **data})


class _Recorder(Operations):
    """Records a call instead of sending it."""

    recorded: tuple[str, dict[str, Any]]

    def _call(self, operation: str, data: dict[str, Any]) -> Any:
        self.recorded = (operation, data)


def recorded(method: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The operation and the input of a method that can be queued. Raises ValueError for others."""
    recorder = _Recorder()
    getattr(recorder, method)(**arguments)
    operation, data = recorder.recorded
    if operation not in REPEATABLE and operation not in REPEATABLE_WITH_KEY:
        raise ValueError(f"{method} cannot be retried, and therefore cannot be queued")
    return operation, data
