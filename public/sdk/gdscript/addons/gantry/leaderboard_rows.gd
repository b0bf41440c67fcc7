# The first rows of a leaderboard, shared by those who follow it: loaded after each connect and when a season ends, and
# changed by what the server sends in between.
extends Resource

# The server sends no more.
const MAX_ROWS = 50
const DEFAULT_NAME = "default"
const SEASON_ENDED = "leaderboard-seasons ended"

# A weak reference: the client holds this object.
var _client
var _board_name
var _followers = []
# As Dictionaries, best first; null before they were loaded.
var _rows = null
var _is_loading = false
# Whether they are to be loaded again after the current load.
var _is_stale = false
# Received during a load, which may be older.
var _changes = []
# The calls of `follow` that wait for the first load.
var _waiting = []


# Returns a call that succeeds when the follower was shown the rows.
func add(follower):
	_followers.append(follower)
	var call = _client.GantryCall.new()
	if _rows != null and not _is_loading:
		follower._show(_rows)
		return _client._calls.complete(call)
	_waiting.append({"call": call, "follower": follower})
	if not _is_loading:
		reload()
	return call


func remove(follower):
	_followers.erase(follower)
	if _followers.size() == 0:
		_rows = null


func reload():
	if _followers.size() == 0:
		return
	_is_stale = _is_loading
	if not _is_loading:
		_is_loading = true
		_changes = []
		if _board_name == DEFAULT_NAME or _client._game_stream == null:
			_ask("subscribe", {}, "_subscribed")
		else:
			_read()


func received(name, record):
	if name == SEASON_ENDED and record.get("leaderboard") == _board_name:
		reload()
	elif not _is_change(name, record):
		return
	elif _is_loading:
		_changes.append(record)
	elif _rows == null:
		reload()
	else:
		_apply([record])


func _is_change(name, record):
	if _board_name == DEFAULT_NAME:
		return name == "leaderboards patched"
	return name == "named-leaderboards patched" and record.get("leaderboard") == _board_name


func _ask(operation, input, method):
	_client._calls.ask(operation, input, {"retries": _client.retries}, self, method)


func _subscribed(call):
	if call.ok:
		_client._game_stream = call.json["stream"]
	if call.ok and _board_name != DEFAULT_NAME:
		_read()
	else:
		_loaded(call)


func _read():
	var game = _client._game_stream.replace("game:", "")
	_ask("getGameScoresLeaderboard", {"gameId": game, "leaderboard": _board_name, "limit": MAX_ROWS}, "_loaded")


func _loaded(call):
	_is_loading = false
	if not call.ok:
		_failed(call.error)
		return
	_rows = call.json["leaderboard"]
	for index in range(_rows.size()):
		_rows[index]["position"] = index + 1
	_apply(_changes)
	for waiting in _waiting:
		_client._calls.complete(waiting["call"])
	_waiting = []
	if _is_stale:
		reload()


func _failed(error):
	if _is_stale:
		reload()
		return
	for waiting in _waiting:
		_followers.erase(waiting["follower"])
		_client._calls.complete(waiting["call"], error)
	_waiting = []


# Puts each row at its position, and cuts the rows to their number, as PROTOCOL.md says. Each change is relative to the one
# before, so the rows are right even if they already contain some of it.
func _apply(changes):
	for change in changes:
		for row in change["rows"]:
			if _rows.size() < row["position"]:
				_rows.resize(row["position"])
			_rows[row["position"] - 1] = row
		_rows.resize(change["length"])
	if _rows.has(null):
		reload() # rows that were not loaded have come in
		return
	for follower in _followers.duplicate():
		follower._show(_rows)
