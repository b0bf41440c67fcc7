"""The client for asyncio: the same as `gantry.GantryClient`, with coroutines.

    import gantry.aio

    async with gantry.aio.connect("http://127.0.0.1:3000", game="YOUR_GAME") as client:
        await client.set_user_score(score=1200)

Listeners run in the event loop, one at a time, and may be coroutine functions: the next event waits for them. A call
that is cancelled is not sent any more; if it was sent already, its response is dropped. The connection has threads of
its own (python-socketio's client for asyncio would be a second implementation, and need aiohttp): a blocked event loop
delays listeners and never the connection.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Callable, Optional, TypeVar

from . import client as threads
from . import connecting
from .async_operations import AsyncOperations
from .errors import GantryError, client_error
from .friends import FriendList
from .types import OwnPlayer

__all__ = ["AsyncConfig", "AsyncFriends", "AsyncLeaderboard", "GantryClient", "connect", "connect_as_guest", "connect_with_wallet"]

Answer = TypeVar("Answer")
Stop = Callable[[], None]

#: Calls that wait for responses at the same time; further ones wait for those.
MOST_CALLS = 64


class GantryClient(AsyncOperations):
    """A player's connection, or that of a game's server, in the running event loop.

    `options` are those of `gantry.GantryClient`; `renew` may be a coroutine function.
    """

    def __init__(self, url: str, launcher_jwt: Optional[str] = None, **options: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._set(threads.GantryClient(url, launcher_jwt, **_in_loop(self._loop, options, "renew")))

    def _set(self, client: threads.GantryClient) -> "GantryClient":
        self._client = client
        self._is_closed = False
        self._executor = ThreadPoolExecutor(MOST_CALLS, "gantry-call")
        return self

    @property
    def status(self) -> str:
        """`connecting`, `live`, `ended` (the session) or `refused`; the client does not reconnect after the last two."""
        return self._client.status

    @property
    def end_reason(self) -> Optional[str]:
        """With the status `ended`: why the session ended, such as `ended` or `revoked`; None if it is not known."""
        return self._client.end_reason

    @property
    def player(self) -> Optional[OwnPlayer]:
        """The player, as `gantry.GantryClient.player`."""
        return self._client.player

    @property
    def cursors(self) -> dict[str, dict[str, Any]]:
        """The position in every stream. A `store` persists it across restarts."""
        return self._client.cursors

    @property
    def queued(self) -> list[dict[str, Any]]:
        """The queued calls that have no response yet."""
        return self._client.queued

    def on(self, name: str, listener: Callable[[dict[str, Any], dict[str, Any]], Any]) -> Stop:
        """Calls the listener with the record and its meta for each event of this name, once and in order.

        Returns a function that unsubscribes. Raises ValueError for a name that no event has.
        """
        return self._client.on(name, self._listener(listener))

    def on_resync(self, listener: Callable[[str], Any]) -> Stop:
        """Calls the listener with each stream whose history is not available: reload the stream's data."""
        return self._client.on_resync(self._listener(listener))

    def on_status(self, listener: Callable[[str], Any]) -> Stop:
        """Calls the listener with each new `status`."""
        return self._client.on_status(self._listener(listener))

    def on_queued(self, listener: Callable[[dict[str, Any], Any, Optional[GantryError]], Any]) -> Stop:
        """Calls the listener with each completed queued call and its response or error."""
        return self._client.on_queued(self._listener(listener))

    async def ready(self, timeout: Optional[float] = None) -> None:
        """Waits until the connection is live, as `gantry.GantryClient.ready`. Raises GantryError."""
        await self._run(self._client.ready, timeout)

    def queue(self, method: str, **arguments: Any) -> Awaitable[Any]:
        """Queues a call, as `gantry.GantryClient.queue`; await the result or not. Raises ValueError."""
        future = asyncio.wrap_future(self._client.queue(method, **arguments), loop=self._loop)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # it need not be awaited
        return future

    def as_player(self, launcher_jwt: str) -> AsyncOperations:
        """Calls with another token, as a launcher does for a game's session."""
        return _AsyncCallsWith(self, {"launcherJwt": launcher_jwt})

    def for_player(self, wallet: str) -> AsyncOperations:
        """Calls for a player, as a game's server with its `game_secret`."""
        return _AsyncCallsWith(self, {"wallet": wallet})

    def leaderboard(self, name: str = "default") -> "AsyncLeaderboard":
        """The leaderboard of this name in the player's game; without a name, the default one."""
        return AsyncLeaderboard(self, name)

    @property
    def friends(self) -> "AsyncFriends":
        """The player's friends, with their presence."""
        return AsyncFriends(self)

    @property
    def config(self) -> "AsyncConfig":
        """The game's config."""
        return AsyncConfig(self)

    @property
    def refusal(self) -> Optional[GantryError]:
        """As `gantry.GantryClient.refusal`."""
        return self._client.refusal

    async def close(self) -> None:
        """Closes the connection permanently; queued calls stay in the store for the next client."""
        self._is_closed = True
        await self._loop.run_in_executor(None, self._client.close)
        self._executor.shutdown(wait=False)

    async def __aenter__(self) -> "GantryClient":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def _call(self, operation: str, data: dict[str, Any]) -> Any:
        cancelled = threading.Event()
        try:
            return await self._run(self._client._call, operation, data, cancelled)
        finally:
            cancelled.set()

    def _run(self, function: Callable[..., Answer], *arguments: Any) -> Awaitable[Answer]:
        if self._is_closed:  # and so is the executor
            raise client_error("client_closed", "The client was closed")
        return self._loop.run_in_executor(self._executor, function, *arguments)

    def _listener(self, listener: Callable[..., Any]) -> Callable[..., Any]:
        return _from_thread(self._loop, listener)


class AsyncLeaderboard:
    """A leaderboard of the player's game."""

    def __init__(self, client: GantryClient, name: str) -> None:
        self._client = client
        self._name = name

    async def follow(self, listener: Callable[[list[Any]], Any], limit: int = 10) -> Stop:
        """Calls the listener with the first rows now and after every change, as `gantry.Leaderboard.follow`."""
        board = self._client._client.leaderboard(self._name)
        return await self._client._run(board.follow, self._client._listener(listener), limit)


class AsyncFriends:
    """The player's friends, as they change."""

    def __init__(self, client: GantryClient) -> None:
        self._client = client

    async def follow(self, listener: Callable[[FriendList], Any]) -> Stop:
        """Calls the listener with the friends and friend requests, as `gantry.Friends.follow`."""
        friends = self._client._client.friends
        return await self._client._run(friends.follow, self._client._listener(listener))


class AsyncConfig:
    """The game's config, as it changes: as `gantry.Config`."""

    def __init__(self, client: GantryClient) -> None:
        self._client = client

    @property
    def version(self) -> int:
        return self._client._client.config.version

    @property
    def values(self) -> dict[str, Any]:
        return self._client._client.config.values

    def get(self, key: str, default: Any = None) -> Any:
        return self._client._client.config.get(key, default)

    async def load(self) -> None:
        await self._client._run(self._client._client.config.load)

    async def follow(self, listener: Callable[[dict[str, Any]], Any]) -> Stop:
        config = self._client._client.config
        return await self._client._run(config.follow, self._client._listener(listener))


def connect(url: str, game: str, **options: Any) -> "_Connecting":
    """`async with connect(…) as client:` or `client = await connect(…)`.

    Signs the player in and returns a live client. `options` are those of `gantry.connect`; `renew` may be a coroutine
    function. Raises GantryError.
    """
    return _Connecting(connecting.connect, (url, game), options)


def connect_as_guest(url: str, game_id: str, **options: Any) -> "_Connecting":
    """As `gantry.connect_as_guest`."""
    return _Connecting(connecting.connect_as_guest, (url, game_id), options)


def connect_with_wallet(url: str, game_id: str, wallet: str, sign: Any, **options: Any) -> "_Connecting":
    """As `gantry.connect_with_wallet`; `sign` may be a coroutine function."""
    return _Connecting(connecting.connect_with_wallet, (url, game_id, wallet), {**options, "sign": sign})


class _Connecting:
    def __init__(
        self, start: Callable[..., threads.GantryClient], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        self._start = start
        self._arguments = arguments
        self._options = options

    def __await__(self) -> Generator[Any, None, GantryClient]:
        return self._connect().__await__()

    async def __aenter__(self) -> GantryClient:
        self._client = await self
        return self._client

    async def __aexit__(self, *_: Any) -> None:
        await self._client.close()

    async def _connect(self) -> GantryClient:
        loop = asyncio.get_running_loop()
        options = {**_in_loop(loop, self._options, "renew", "sign"), "_release": lambda client: None}
        connected = loop.run_in_executor(None, partial(self._start, *self._arguments, **options))
        try:
            client = await asyncio.shield(connected)
        except asyncio.CancelledError:
            connected.add_done_callback(_close_unused)
            raise
        loop.call_soon(client._release)  # after the caller has added listeners
        made = GantryClient.__new__(GantryClient)
        made._loop = loop
        return made._set(client)


class _AsyncCallsWith(AsyncOperations):
    def __init__(self, client: GantryClient, fields: dict[str, Any]) -> None:
        self._client = client
        self._fields = fields

    async def _call(self, operation: str, data: dict[str, Any]) -> Any:
        return await self._client._call(operation, {**self._fields, **data})


def _close_unused(connected: "asyncio.Future[threads.GantryClient]") -> None:
    if connected.exception() is None:
        connected.result().close()


def _in_loop(loop: asyncio.AbstractEventLoop, options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Wraps the functions of these names, which the client calls in its threads."""
    wrapped = {name: _from_thread(loop, options[name]) for name in names if options.get(name) is not None}
    return {**options, **wrapped}


def _from_thread(loop: asyncio.AbstractEventLoop, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for other threads that calls the given one, a coroutine function or not, in the loop and waits for it."""

    async def call(arguments: tuple[Any, ...]) -> Any:
        result = function(*arguments)
        return await result if inspect.isawaitable(result) else result

    def run(*arguments: Any) -> Any:
        if not loop.is_closed():
            return asyncio.run_coroutine_threadsafe(call(arguments), loop).result()

    return run
