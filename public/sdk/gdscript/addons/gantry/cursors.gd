# A client's position in every stream (section 6 of PROTOCOL.md): decides whether an event is new, a duplicate, or follows
# a gap.
extends Resource

enum { TAKE, DROP, GAP }

# Notifications may come again behind the cursor, so their ids are kept.
const MAX_NOTIFICATION_IDS = 1000
# The server rejects handshakes that are too long.
const MAX_SENT = 1000

# By stream, the most recently active last: { "epoch", "seq" }.
var positions = {}
var notification_ids = []
var _known_ids = {}


func move_to(stream, epoch, seq):
	positions.erase(stream) # a Dictionary is in the order of insertion
	positions[stream] = {"epoch": epoch, "seq": seq}


# Like move_to, unless the stream already has a cursor with the same epoch, which is more recent.
func begin(stream, epoch, seq):
	if not positions.has(stream) or positions[stream]["epoch"] != epoch:
		move_to(stream, epoch, seq)


func is_at(stream, epoch, seq):
	return positions.has(stream) and positions[stream]["epoch"] == epoch and positions[stream]["seq"] == seq


func is_beyond(stream, epoch, seq):
	return positions.has(stream) and positions[stream]["epoch"] == epoch and positions[stream]["seq"] > seq


# Decides what to do with an event, and advances the cursor if it is new.
func judge(name, meta, record_id):
	if not meta.has("epoch") or not meta.has("seq"):
		return TAKE
	var verdict = TAKE if meta.get("late", false) else _judge_seq(meta["stream"], meta["epoch"], meta["seq"])
	if verdict == TAKE and name == "notifications created" and record_id != null and not _remember(record_id):
		return DROP
	return verdict


func _judge_seq(stream, epoch, seq):
	if positions.has(stream) and positions[stream]["epoch"] == epoch:
		if seq <= positions[stream]["seq"]:
			return DROP
		if seq > positions[stream]["seq"] + 1:
			return GAP
	move_to(stream, epoch, seq)
	return TAKE


func _remember(id):
	if _known_ids.has(id):
		return false
	_known_ids[id] = true
	notification_ids.append(id)
	if notification_ids.size() > MAX_NOTIFICATION_IDS:
		_known_ids.erase(notification_ids.pop_front())
	return true


# The cursors for a handshake: all, or those of players and games and of the most recently active channels, with
# `partial`.
func add_to(handshake):
	if positions.size() <= MAX_SENT:
		handshake["cursors"] = positions
		return
	var sent = {}
	for stream in positions:
		if not stream.begins_with("channel:") and sent.size() < MAX_SENT:
			sent[stream] = positions[stream]
	var streams = positions.keys()
	for back in range(streams.size()):
		var stream = streams[streams.size() - 1 - back]
		if sent.size() < MAX_SENT:
			sent[stream] = positions[stream]
	handshake["cursors"] = sent
	handshake["partial"] = true


# Replaces all.
func load_saved(saved_positions, saved_ids):
	positions = {}
	notification_ids = []
	_known_ids = {}
	if saved_positions is Dictionary:
		for stream in saved_positions:
			move_to(stream, saved_positions[stream]["epoch"], saved_positions[stream]["seq"])
	if saved_ids is Array:
		for id in saved_ids:
			_remember(id)
