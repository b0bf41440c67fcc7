from __future__ import annotations

from typing import Any, Optional


class GantryError(Exception):
    """An operation was refused or failed. Branch on `reason`; the message is for people.

    `reason` is one of `gantry.names.REASONS`, or of the client's own:
    `connection_lost` (no answer came, and whether the operation was carried out
    is not known), `client_closed`, `queue_expired` (a queued call may have been
    carried out, too long ago to send it again), and `unknown` (something between
    client and server answered in the server's place).
    """

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body.get("message") or "The server gave no reason")
        #: What the server says beside the reason, such as the `version` of a `version_conflict`.
        self.data: dict[str, Any] = body.get("data") or {}
        self.reason: str = self.data.get("reason", "unknown")
        #: The HTTP status, over a socket too; 0 without an answer.
        self.code: int = body.get("code", 0)
        #: When to try again, in seconds from now; None where the server does not say.
        self.retry_after_seconds: Optional[float] = self.data.get("retryAfterSeconds")
        #: The invalid fields: a list of {"path", "message"}.
        self.errors: list[dict[str, str]] = body.get("errors") or []


def client_error(reason: str, message: str) -> GantryError:
    return GantryError({"message": message, "data": {"reason": reason}})


def connection_lost() -> GantryError:
    return client_error("connection_lost", "The connection was lost before the response arrived")
