from __future__ import annotations

from typing import Any, Optional


class GantryError(Exception):
    """An operation was refused or failed. Branch on `reason`; the message is for people.

    `reason` is one of `gantry.names.REASONS`, or one that the client raises itself:
    `connection_lost` (there was no response; the operation may or may not have been
    executed), `client_closed`, `queue_expired` (a queued call may have been executed,
    too long ago to retry it), and `unknown` (a proxy responded instead of the server).
    """

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body.get("message") or "The server gave no reason")
        #: Details besides the reason, such as the `version` of a `version_conflict`.
        self.data: dict[str, Any] = body.get("data") or {}
        self.reason: str = self.data.get("reason", "unknown")
        #: For `update_required`: the `version` to install, its `url`, and a `message`; empty texts: not said.
        self.update: Optional[dict[str, str]] = self.data.get("update")
        #: For `access_denied`: the tokens that the player needs.
        self.missing: Optional[list[dict[str, Any]]] = self.data.get("missing")
        #: The HTTP status, over a socket too; 0 without a response.
        self.code: int = body.get("code", 0)
        #: The delay before a retry, in seconds; None if the server specifies none.
        self.retry_after_seconds: Optional[float] = self.data.get("retryAfterSeconds")
        #: The invalid fields: a list of {"path", "message"}.
        self.errors: list[dict[str, str]] = body.get("errors") or []

    @property
    def is_temporary(self) -> bool:
        """Whether the same call may succeed later: no response, too many calls, or a failure of the server."""
        return self.reason == "connection_lost" or self.code == 429 or self.code >= 500

    @property
    def is_expiry(self) -> bool:
        """Whether a token was refused because it has expired, and not because its session was ended for a reason."""
        has_ended = self.reason == "session_ended" and self.data.get("endReason", "expired") == "expired"
        return self.reason == "token_expired" or has_ended


def client_error(reason: str, message: str) -> GantryError:
    return GantryError({"message": message, "data": {"reason": reason}})


def connection_lost(url: str) -> GantryError:
    message = f"No response from Gantry at {url}: it could not be reached, or the connection was lost"
    return client_error("connection_lost", message)


def session_ended() -> GantryError:
    return GantryError({"message": "The session has ended", "code": 401, "data": {"reason": "session_ended"}})
