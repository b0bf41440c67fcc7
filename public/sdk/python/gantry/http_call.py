from __future__ import annotations

import email.utils
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping, Optional

from .errors import GantryError, connection_lost
from .names import MAX_CALL_BYTES, VERSION


#: They have no form in UTF-8, and are escaped.
_SURROGATES = re.compile("[\ud800-\udfff]")


def json_of(data: Any) -> str:
    """The input of a call as it is sent, in UTF-8: escaped, most alphabets take three times the space.

    Raises GantryError, `input_invalid`, if it has no form in JSON.
    """
    try:
        text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"The input has no form in JSON: {error}"
        raise GantryError({"message": message, "code": 400, "data": {"reason": "input_invalid"}}) from None


def sent_json_of(data: Any) -> str:
    """The same for what is sent now. Also raises `body_too_large`: the server would close the connection."""
    text = json_of(data)
    size = len(text.encode())
    if size > MAX_CALL_BYTES:
        message = f"The call takes {size} bytes, and the server takes {MAX_CALL_BYTES}"
        raise GantryError({"message": message, "code": 413, "data": {"reason": "body_too_large"}})
    return text


def call_over_http(
    url: str,
    operation: str,
    data: Mapping[str, Any],
    game_secret: Optional[str] = None,
    timeout: float = 15.0,
    game_version: Optional[str] = None,
    player: Optional[str] = None,
    game: Optional[str] = None,
) -> Any:
    """Calls an operation by method dispatch; `timeout` in seconds, `player` a wallet, for proxies. Raises GantryError.

    With `game`, a slug or an id, the server refuses a token of another game.
    """
    if not url.strip().lower().startswith(("http://", "https://")):
        message = f"The server's URL must begin with http:// or https://, unlike '{url}'"
        raise GantryError({"message": message, "code": 400, "data": {"reason": "input_invalid"}})
    headers = {"Content-Type": "application/json", "X-Service-Method": operation, "X-Gantry-Version": VERSION}
    if game_secret is not None:
        headers["Authorization"] = "Bearer " + game_secret
    if game_version is not None:
        headers["X-Game-Version"] = game_version
    if player is not None:
        headers["X-Gantry-Player"] = player
    body = sent_json_of(data).encode()
    query = "" if game is None else "?gameId=" + urllib.parse.quote(game, safe="")
    request = urllib.request.Request(url.rstrip("/") + "/launcher" + query, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as answer:
        raise _refusal(answer, url) from None
    except (OSError, http.client.HTTPException, ValueError):
        raise connection_lost(url) from None


def _refusal(answer: urllib.error.HTTPError, url: str) -> GantryError:
    try:
        body = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        body = None
    # A response without JSON comes from a proxy, which with these statuses has not forwarded the call.
    if not isinstance(body, dict):
        if answer.code not in (429, 503):
            return connection_lost(url)
        body = {"message": f"The server answered with status {answer.code}", "code": answer.code}
    data = dict(body.get("data") or {})
    seconds = _seconds(answer.headers.get("Retry-After"))
    if seconds is not None:
        data.setdefault("retryAfterSeconds", seconds)
    return GantryError({**body, "data": data})


def _seconds(header: Optional[str]) -> Optional[float]:
    """`Retry-After` is a number of seconds or a date: RFC 9110, 10.2.3."""
    if header is None:
        return None
    if header.isdigit():
        return int(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
