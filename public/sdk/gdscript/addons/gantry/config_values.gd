# The game's config, shared by those who follow it: read when the program first uses it and after every reconnect, and
# changed by what the server sends in between. While there is no connection, the last values stay.
extends Resource

const GantryCall = preload("gantry_call.gd")
# The delay before a failed read is repeated when the server specifies none.
const REPEAT_MS = 5000
const NEVER_MS = 9000000000000000

var followers = []

# A weak reference: the client holds this object.
var _client
var _platform
var _values = {}
# Null until the config was read.
var _version = null
# Of the values, as they were read; null: they have changed since.
var _etag = null
var _is_used = false
var _is_reading = false
# Whether the values being read may be outdated already.
var _is_stale = false
var _missed = []
# When to read.
var _read_at = NEVER_MS
var _spread_ends_at = 0
# The calls that wait for the first read, each { "call", "follower" (null: none) }.
var _waiting = []


# All values by key; empty until they were read.
func values():
	_use()
	return _values.duplicate(true)


# The version of the values; 0: not read yet, or nothing was ever set.
func version():
	_use()
	return 0 if _version == null else _version


# Reads the config, unless it was read already. Returns a call that succeeds when the client has it, and has shown it to the
# follower, if there is one.
func load_values(follower = null):
	var call = GantryCall.new()
	_use()
	if _version == null:
		_waiting.append({"call": call, "follower": follower})
		_read()
		return call
	if follower != null:
		_begin(follower)
	return _client._calls.complete(call)


func _use():
	if not _is_used:
		_is_used = true
		_read()


# Changes are not replayed.
func connected():
	if not _is_used:
		return
	if _is_reading:
		_is_stale = true
	else:
		_read()


func update():
	if _platform.now_ms() >= _read_at:
		_read_at = NEVER_MS
		_read()


func received(name, patch):
	if name != "config patched":
		return
	if _is_reading:
		_missed.append(patch)
	else:
		_take(patch)


func _take(patch):
	if _version == null or patch["version"] <= _version:
		return
	if patch["version"] == _version + 1 and patch.has("values"):
		var changed_values = _values.duplicate()
		for key in patch["keys"]:
			changed_values.erase(key)
		for key in patch["values"]:
			changed_values[key] = patch["values"][key]
		_change(changed_values, patch["version"])
	elif _read_at == NEVER_MS:
		var from = max(_platform.now_ms(), _spread_ends_at)
		_spread_ends_at = from + patch["spreadMs"]
		_read_at = from + randf() * patch["spreadMs"]


# Without a connection, the next one reads.
func _read():
	if _is_reading or _client.status != "live":
		return
	_is_reading = true
	_is_stale = false
	_missed = []
	_read_at = NEVER_MS
	var input = {}
	if _client.config_label != null:
		input["label"] = _client.config_label
	if _etag != null:
		input["ifNoneMatch"] = _etag
	_client._calls.ask("getConfig", input, {"retries": _client.retries}, self, "_was_read")


func _was_read(call):
	_is_reading = false
	if call.ok:
		if not call.json["unchanged"]:
			_change(call.json["values"], call.json["version"])
		_etag = call.json["etag"]
	if _is_stale:
		_read()
	elif call.ok:
		for patch in _missed:
			_take(patch)
		_settle(null)
	else:
		if call.error.retry_after != null:
			_read_at = _platform.now_ms() + int(call.error.retry_after * 1000)
		elif call.error.code == 0 or call.error.code == 429 or call.error.code >= 500:
			_read_at = _platform.now_ms() + int(REPEAT_MS * (1.0 + randf()))
		_settle(call.error)


func _change(changed_values, its_version):
	_values = changed_values
	_version = its_version
	_etag = null
	for follower in followers.duplicate():
		follower._show(values())


func _settle(error):
	var waiting = _waiting
	_waiting = []
	for one in waiting:
		if error == null and one["follower"] != null:
			_begin(one["follower"])
		_client._calls.complete(one["call"], error)


func _begin(follower):
	followers.append(follower)
	follower._show(values())
