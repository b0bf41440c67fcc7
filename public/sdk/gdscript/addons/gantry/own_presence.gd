# What the player shows to friends, remembered for the next connection.
extends Resource

const SET_STATUS = "setStatus"
# What they set ends with the connection.
const OF_CONNECTION = ["setCurrentGame", "setRichPresence"]
# Why a handshake is refused for its status: PROTOCOL.md, section 3.
const REFUSALS = ["input_invalid", "not_a_launcher", "words_not_allowed", "muted"]

# A weak reference: the client holds this object.
var _client
var _inputs = {}


# For the handshake, so that an invisible player is not seen between connecting and `set_status`; or null.
func status():
	return _inputs.get(SET_STATUS, _client.player_status)


# Remembers the input of a call while it is made.
func sending(call):
	var is_own = not call._input.has("launcherJwt")
	if is_own and (call._operation == SET_STATUS or call._operation in OF_CONNECTION):
		call._context = {"remembered": true, "before": _inputs.get(call._operation)}
		_inputs[call._operation] = call._input


# Forgets the input of a call that the server has refused.
func settled(call):
	if not call._context.has("remembered"):
		return
	var before = call._context["before"]
	call._context = {}
	if call.ok or call.error.code == 0 or _inputs.get(call._operation) != call._input:
		return
	if before == null:
		_inputs.erase(call._operation)
	else:
		_inputs[call._operation] = before


# Sends again what ended with the last connection; once, because a later call may set something else.
func connected():
	for operation in OF_CONNECTION:
		if _inputs.has(operation):
			_client._calls.ask(operation, _inputs[operation], {}, self, "_repeated")


func _repeated(_call):
	pass


# When a handshake was refused for its status: gives up its text, then the status. False: that was not why.
func reduce(reason):
	var refused = status()
	if refused == null or not reason in REFUSALS:
		return false
	_inputs.erase(SET_STATUS)
	_client.player_status = {"status": refused["status"]} if refused.get("text", "") != "" else null
	return true
