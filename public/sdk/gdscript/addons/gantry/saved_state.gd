# What the client keeps across restarts of the game: the player and the player's session, cursors, notifications and
# queue. Those of a player whom a launcher has opened are kept under "launcher", so that they never mix with the guest's.
extends Resource

# The player of this device: the address, { "launcherJwt", "expiresAt" (Unix ms) }, and a guest's secret; null if none.
var wallet = null
var session = null
var device_secret = null
var is_loaded = false

# A weak reference: the client holds this object.
var _client
var _platform
var _json
# As it was read; with fields that this version does not know.
var _all = {}
# Whether the client's cursors and queue are those of the launcher's player.
var _is_launchers = false


func load_once():
	if is_loaded:
		return
	is_loaded = true
	if _client.saved_state == null and _client.save_path != "":
		_client.saved_state = _platform.load_text(_client.save_path)
	if _client.saved_state == null:
		return
	var saved = _json.parse(_client.saved_state)
	if not saved is Dictionary:
		push_error("Gantry: the saved state cannot be read; events are not replayed, and every stream has to be reloaded")
		return
	_all = saved
	wallet = saved.get("wallet")
	session = saved.get("session")
	device_secret = saved.get("deviceSecret")
	_read(saved)


# The client's player is now the one of this device.
func use_own(its_wallet, its_session):
	if _is_launchers:
		_write(_launchers())
		_is_launchers = false
		_read(_all)
	if wallet != null and wallet != its_wallet:
		_read({})
	wallet = its_wallet
	session = its_session


# The client's player is now one whom a launcher has opened.
func use_launchers(its_wallet):
	if not _is_launchers:
		_write(_all)
		_is_launchers = true
	elif _launchers().get("wallet") == its_wallet:
		return
	if _launchers().get("wallet") != its_wallet:
		_all["launcher"] = {"wallet": its_wallet}
	_read(_launchers())


# The session of the player of this device has another token.
func keep_session(token, expires_at):
	if not _is_launchers:
		session = {"launcherJwt": token, "expiresAt": expires_at}
	_client._save_now()


func to_text():
	_write(_launchers() if _is_launchers else _all)
	var own = {"wallet": wallet, "session": session, "deviceSecret": device_secret}
	for field in own:
		if own[field] == null:
			_all.erase(field)
		else:
			_all[field] = own[field]
	return _json.write(_all)


func _launchers():
	var launchers = _all.get("launcher")
	return launchers if launchers is Dictionary else {}


func _read(part):
	_client._cursors.load_saved(part.get("cursors"), part.get("notifications"))
	_client._queue.load_saved(part.get("queue"))


func _write(part):
	part["cursors"] = _client._loaded_cursors()
	part["notifications"] = _client._cursors.notification_ids
	part["queue"] = _client._queue.items
