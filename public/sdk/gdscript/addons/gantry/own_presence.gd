# What the player shows to friends, remembered for the next connection.
extends Resource

const SET_STATUS = "setStatus"
# The status of a player who has chosen none.
const UNCHOSEN = {"status": "online"}
# What they set ends with the connection.
const OF_CONNECTION = ["setCurrentGame", "setRichPresence"]
# Why a handshake is refused for its status: PROTOCOL.md, section 3.
const REFUSALS = ["input_invalid", "not_a_launcher", "words_not_allowed", "muted"]

# A weak reference: the client holds this object.
var _client
# By operation: {"input", "is_unanswered", "chosen_at"}: whether the server has it is not known. In a handshake, a status does
# not count for a player connected elsewhere. Of `player_status`, "chosen_at" is when a connection with it began.
var _settings = {}


# For the handshake, so that an invisible player is not seen between connecting and `set_status`; or null.
func status():
	return _aged(_settings[SET_STATUS]) if _settings.has(SET_STATUS) else _client.player_status


# With its age, so that it does not replace what the player has chosen later on another device.
func _aged(setting):
	if not setting.has("chosen_at"):
		return setting["input"]
	var input = setting["input"].duplicate()
	input["ageMs"] = _client._platform.now_ms() - setting["chosen_at"]
	return input


# Remembers the input of a call while it is made.
func sending(call):
	var is_own = not call._input.has("launcherJwt")
	if is_own and (call._operation == SET_STATUS or call._operation in OF_CONNECTION):
		var setting = {"input": call._input, "is_unanswered": false, "chosen_at": _client._platform.now_ms()}
		setting["is_pending"] = true
		call._context = {"setting": setting, "before": _settings.get(call._operation)}
		_settings[call._operation] = setting


# Forgets the input of a call that the server has refused.
func settled(call):
	if not call._context.has("setting"):
		return
	var setting = call._context["setting"]
	var before = call._context["before"]
	call._context = {}
	setting["is_pending"] = false
	if call.ok or call.error.code == 0:
		setting["is_unanswered"] = not call.ok
	elif _settings.get(call._operation) == setting:
		if before == null:
			_settings.erase(call._operation)
		else:
			_settings[call._operation] = before


# Sends again what ended with the last connection, and a status that was not answered; once, because a later call may set
# something else.
func connected():
	if not _settings.has(SET_STATUS) and _client.player_status != null:
		_settings[SET_STATUS] = {"input": _client.player_status, "is_unanswered": false}
	if _settings.has(SET_STATUS) and not _settings[SET_STATUS].has("chosen_at"):
		_settings[SET_STATUS]["chosen_at"] = _client._platform.now_ms()
	for operation in [SET_STATUS] + OF_CONNECTION:
		var setting = _settings.get(operation)
		if setting != null and (operation != SET_STATUS or setting["is_unanswered"]):
			var input = _aged(setting) if operation == SET_STATUS else setting["input"]
			var call = _client._calls.ask(operation, input, {}, self, "_repeated")
			call._context = {"setting": setting, "before": setting}


func _repeated(_call):
	pass


# The player's status according to the server, or null: one that was chosen on another device replaces the remembered one,
# which a server that has forgotten both would take for the latest.
func learn(own):
	var known = _settings.get(SET_STATUS, {"input": UNCHOSEN, "is_unanswered": false})
	if own == null or known["is_unanswered"] or known.get("is_pending", false):
		return
	if own["status"] != known["input"]["status"] or own["text"] != known["input"].get("text", ""):
		_settings[SET_STATUS] = {"input": own, "is_unanswered": false, "chosen_at": _client._platform.now_ms()}


# When a handshake was refused for its status: gives up its text, then the status. False: that was not why.
func reduce(reason):
	var refused = status()
	if refused == null or not reason in REFUSALS:
		return false
	var rest = {"status": refused["status"]} if refused.get("text", "") != "" else null
	if rest != null and _settings.has(SET_STATUS):
		_settings[SET_STATUS] = {"input": rest, "is_unanswered": _settings[SET_STATUS]["is_unanswered"]}
	else:
		_settings.erase(SET_STATUS)
		_client.player_status = rest
	return true
