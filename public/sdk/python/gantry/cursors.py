from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional

#: The number of notification ids kept for deduplication: a handled notification may come again as a late one.
MAX_NOTIFICATIONS = 1_000
#: The maximum number of cursors in a handshake.
MAX_SENT = 1_000


class Cursors:
    """The position in every stream and the handled notifications: section 6 of PROTOCOL.md."""

    def __init__(self, saved: Mapping[str, Mapping[str, Any]], notifications: Iterable[str]) -> None:
        # In the order of activity, the most recent last; a dict keeps it.
        self.positions: dict[str, dict[str, Any]] = {name: dict(one) for name, one in saved.items()}
        self.notifications: dict[str, None] = dict.fromkeys(notifications)

    def copy(self) -> dict[str, dict[str, Any]]:
        return dict(self.positions)  # a position is replaced, never changed

    def to_send(self) -> dict[str, Any]:
        """The cursors for the handshake: all, or those of players and games and of the most recently active channels."""
        if len(self.positions) <= MAX_SENT:
            return {"cursors": dict(self.positions)}
        recent = list(reversed(list(self.positions.items())))
        others = [one for one in recent if not one[0].startswith("channel:")]
        channels = [one for one in recent if one[0].startswith("channel:")]
        return {"cursors": dict((others + channels)[:MAX_SENT]), "partial": True}

    def begin(self, streams: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], int]:
        """Handles the first event of a connection. Returns the streams to reload and the number of replayed events."""
        missed = []
        replayed = 0
        for stream, at in streams.items():
            own = self.positions.get(stream, {})
            is_same_history = own.get("epoch") == at["epoch"]
            replayed += at["latest"] - at["seq"]
            # The cursor may have been omitted: then nothing was missed if it equals the stream's position.
            if not at["recovered"] and not (is_same_history and own["seq"] == at["seq"]):
                missed.append(stream)
            elif at["recovered"] and is_same_history and own["seq"] > at["seq"]:
                continue  # replayed events are dropped
            self.positions[stream] = {"epoch": at["epoch"], "seq": at["seq"]}
        for stream in [one for one in self.positions if one not in streams]:
            del self.positions[stream]
        return missed, replayed

    def judge(self, name: str, meta: Mapping[str, Any], record_id: Optional[str]) -> str:
        """`take`, `drop` (a duplicate) or `gap` (an event before it is missing); advances the cursor with `take`."""
        if meta.get("epoch") is None or meta.get("seq") is None:
            return "take"  # a signal
        verdict = "take" if meta.get("late") else self._judge_seq(meta)
        if verdict == "take" and name == "notifications created" and not self._is_new(record_id):
            return "drop"
        return verdict

    def _judge_seq(self, meta: Mapping[str, Any]) -> str:
        stream, epoch, seq = meta["stream"], meta["epoch"], meta["seq"]
        own = self.positions.get(stream)
        if own is not None and own["epoch"] == epoch:
            if seq <= own["seq"]:
                return "drop"
            if seq > own["seq"] + 1:
                return "gap"
        self.positions.pop(stream, None)
        self.positions[stream] = {"epoch": epoch, "seq": seq}
        return "take"

    def _is_new(self, record_id: Optional[str]) -> bool:
        if record_id is None:
            return True
        if record_id in self.notifications:
            return False
        self.notifications[record_id] = None
        if len(self.notifications) > MAX_NOTIFICATIONS:
            del self.notifications[next(iter(self.notifications))]
        return True
