# What the client keeps across restarts of the game: the player and the player's session, cursors, notifications and
# queue. Those of a player whom a launcher has opened are kept under "launcher", so that they never mix with the guest's.
extends Resource

const GantryError = preload("gantry_error.gd")

# The player of this device: the address, the id, which a guest keeps who gets a wallet, { "launcherJwt", "expiresAt"
# (Unix ms) }, and a guest's secret; null if none.
var wallet = null
var user_id = null
var session = null
var device_secret = null
var is_loaded = false
# Why what is saved cannot be read; null: it can be. Then nobody signs in as a new guest in its place, nor is it overwritten.
var fault = null

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
	var place = "saved_state"
	if _client.saved_state == null and _client.save_path != "":
		place = _client.save_path
		_client.saved_state = _platform.load_text(place)
	if _client.saved_state == null:
		return
	var saved = _json.parse(_client.saved_state)
	if not saved is Dictionary:
		fault = "The player who is saved in %s cannot be read: repair or remove it" % place
		push_error("Gantry: " + fault)
		return
	_all = saved
	wallet = saved.get("wallet")
	user_id = saved.get("userId")
	session = saved.get("session")
	device_secret = saved.get("deviceSecret")
	_read(saved)


# Whether the player of this device is this one, perhaps before getting a wallet.
func is_of(player):
	return _is_for({"wallet": wallet, "userId": user_id}, player)


# The client's player is now the one of this device; what is saved for another one is set aside.
func use_own(player, its_session):
	if _is_launchers:
		_write(_launchers())
		_is_launchers = false
		_read(_all)
	if wallet != null and not is_of(player):
		var before = {"wallet": wallet, "userId": user_id}
		_write(before)
		_read(_part("previous") if _is_for(_part("previous"), player) else {})
		_all["previous"] = before
	wallet = player.wallet
	user_id = player.user_id
	session = its_session


# The client's player is now one whom a launcher has opened.
func use_launchers(player):
	if not _is_launchers:
		_write(_all)
		_is_launchers = true
	elif _is_for(_launchers(), player):
		return
	if not _is_for(_launchers(), player):
		_all["launcher"] = {"wallet": player.wallet, "userId": player.user_id}
	_read(_launchers())


# The session of the player of this device has another token.
func keep_session(token, expires_at):
	if not _is_launchers:
		session = {"launcherJwt": token, "expiresAt": expires_at}
	_client._save_now()


func to_text():
	_write(_launchers() if _is_launchers else _all)
	var own = {"wallet": wallet, "userId": user_id, "session": session, "deviceSecret": device_secret}
	for field in own:
		if own[field] == null:
			_all.erase(field)
		else:
			_all[field] = own[field]
	return _json.write(_all)


func _launchers():
	return _part("launcher")


func _part(name):
	var part = _all.get(name)
	return part if part is Dictionary else {}


func _is_for(saved, player):
	return saved.get("wallet") == player.wallet or (saved.get("userId") != null and saved["userId"] == player.user_id)


func _read(part):
	_client._queue.reject(GantryError.new().made("session_ended", "Another player has signed in", 401))
	_client._cursors.load_saved(part.get("cursors"), part.get("notifications"))
	_client._queue.load_saved(part.get("queue"))


func _write(part):
	part["cursors"] = _client._loaded_cursors()
	part["notifications"] = _client._cursors.notification_ids
	part["queue"] = _client._queue.items
