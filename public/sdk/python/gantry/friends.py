from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Callable, TypedDict, cast

from .errors import GantryError
from .follower import Follower
from .types import Friend, FriendPresence

if TYPE_CHECKING:
    from .client import GantryClient

_log = logging.getLogger("gantry")

#: The largest page of `listFriends`.
PAGE_ROWS = 250


class FollowedFriend(Friend, FriendPresence):
    """A friend, and what the friend shows; `offline`, without `since`, when that is not known."""


class FriendList(TypedDict):
    """A player's friends and friend requests."""

    #: Favorites first, then those who are online, then by name.
    friends: list[FollowedFriend]
    #: Requests of others, latest first.
    received: list[Friend]
    #: The player's own requests, latest first.
    sent: list[Friend]


class Friends:
    """The player's friends, as they change."""

    def __init__(self, client: "GantryClient") -> None:
        self._client = client
        self._followers: list[Follower] = []
        #: By wallet, as are those of presence.
        self._rows: dict[str, Friend] = {}
        self._presence: dict[str, FriendPresence] = {}
        self._is_list_stale = True
        self._is_presence_stale = True
        self._is_listening = False
        self._version = 0
        self._lock = threading.RLock()  # the list is also read in the thread of a caller

    def follow(self, listener: Callable[[FriendList], Any]) -> Callable[[], None]:
        """Calls the listener with the player's friends and friend requests: before this returns, and after every change.

        Returns a function that stops it. Raises GantryError when they cannot be read.
        """
        follower = Follower(listener)
        with self._lock:
            self._listen()
            self._followers.append(follower)
            try:
                self._load()
            except GantryError:
                self._stop(follower)
                raise
            self._version += 1
            version, shown = self._version, self._merged()
        follower.show(version, shown)
        return lambda: self._stop(follower)

    def _stop(self, follower: Follower) -> None:
        with self._lock:
            if follower not in self._followers:
                return
            self._followers.remove(follower)
            if not self._followers:
                self._is_list_stale = self._is_presence_stale = True
                threading.Thread(target=self._unfollow, name="gantry-unfollow", daemon=True).start()

    def _unfollow(self) -> None:
        with self._lock:
            if self._followers or self._client.status != "live":
                return
            try:
                self._client.unfollow_presence()
            except GantryError as error:  # the connection is lost, and what it followed with it
                _log.debug("the presence of friends could not be unfollowed: %r", error)

    def _listen(self) -> None:
        if self._is_listening:
            return
        self._is_listening = True
        client = self._client
        client.on("friends created", lambda record, meta: self._change(self._put, record))
        client.on("friends patched", lambda record, meta: self._change(self._put, record))
        client.on("friends removed", lambda record, meta: self._change(self._remove, record))
        client.on("friend-presence patched", lambda record, meta: self._change(self._patch, record))
        client.on_resync(lambda stream: self._change(self._miss) if stream.startswith("account:") else None)
        client.on_status(lambda status: self._change(self._reconnect) if status == "live" else None)

    def _put(self, record: Any) -> None:
        known = self._rows.get(record["wallet"])
        if known is None:
            self._is_list_stale = True  # the event does not have the name
            return
        changed = {name: value for name, value in record.items() if name != "normalizedAddress"}
        self._rows[record["wallet"]] = cast(Friend, {**known, **changed})

    def _remove(self, record: Any) -> None:
        self._rows.pop(record["wallet"], None)
        self._presence.pop(record["wallet"], None)

    def _patch(self, record: Any) -> None:
        self._presence.update((friend["wallet"], friend) for friend in record["friends"])
        self._expect(record["friends"])

    def _miss(self) -> None:
        self._is_list_stale = True

    def _reconnect(self) -> None:
        """Presence is followed by a connection, and its changes are not replayed."""
        self._is_presence_stale = True

    def _expect(self, friends: list[FriendPresence]) -> None:
        """A friend who is online and not in the list has come into the game whose friends this session sees."""
        if any(one["status"] != "offline" and one["wallet"] not in self._rows for one in friends):
            self._is_list_stale = True

    def _change(self, change: Callable[..., None], *arguments: Any) -> None:
        try:
            with self._lock:
                if not self._followers:
                    return
                change(*arguments)
                self._load()
                self._version += 1
                version, shown, followers = self._version, self._merged(), list(self._followers)
        except GantryError as error:  # until the next change or reconnect
            _log.debug("the friends could not be read: %r", error)
            return
        for follower in followers:
            follower.show(version, shown)

    def _load(self) -> None:
        while self._is_list_stale or self._is_presence_stale:
            if self._is_list_stale:
                self._rows = {row["wallet"]: row for row in self._read_list()}
                self._is_list_stale = False
            else:
                friends = self._client.follow_presence()["friends"]
                self._presence = {friend["wallet"]: friend for friend in friends}
                self._is_presence_stale = False
                self._expect(friends)

    def _read_list(self) -> list[Friend]:
        rows: list[Friend] = []
        cursor = ""
        while True:
            page = self._client.list_friends(limit=PAGE_ROWS, cursor=cursor)
            rows += page["friends"]
            if not page["more"]:
                return rows
            cursor = page["nextCursor"]

    def _merged(self) -> FriendList:
        rows = sorted(self._rows.values(), key=lambda row: -row["changedAt"])
        unknown = {"status": "offline", "joinable": False}
        friends = [
            cast(FollowedFriend, {**row, **self._presence.get(row["wallet"], unknown)})
            for row in rows
            if row["state"] == "friend"
        ]
        friends.sort(key=_order)
        received = [row for row in rows if row["state"] == "received"]
        return {"friends": friends, "received": received, "sent": [row for row in rows if row["state"] == "sent"]}


def _order(friend: FollowedFriend) -> tuple[bool, bool, str]:
    return not friend["favorite"], friend["status"] == "offline", friend["username"].lower()
