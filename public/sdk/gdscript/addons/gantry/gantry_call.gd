# A pending call. In Godot 4 `await` its signal, in Godot 3 `yield` to it:
#
#     var answer = await client.set_user_score(2500).completed
#     var answer = yield(client.set_user_score(2500), "completed")
extends Resource

# Emitted once, from the client's _process, with this object.
signal completed(answer)

# Whether the call succeeded.
var ok = false
# The response, as its record of records.gd; null if the call failed.
var data = null
# The same as a plain Dictionary, with every field the server sent.
var json = {}
# Of start and sign_in_as_guest: authenticates the guest. Store it securely, such as in the system's keychain.
var device_secret = null
# The error, a gantry_error.gd; null if it succeeded.
var error = null

# The rest is internal to the client.
var _operation = ""
var _input = {}
var _over = "socket"
var _timeout_ms = 15000
var _retries = 0
var _attempt_deadline = 0
var _not_before = 0
var _is_repeatable = false
var _failures = 0
var _socket_id = -1
var _http = null
var _queued = null
# Of a queued call: whether an attempt before the latest one may have been executed.
var _was_sent = false
# Signs a player in: is sent in every status, and without the client's token.
var _is_sign_in = false
# Over HTTP: the game's slug or id; a token of another game is refused.
var _game = null
# The client's token when it was sent.
var _sent_token = null
# Whose method is called with the settled call, before or instead of the signal.
var _listener = null
var _method = ""
var _context = {}


func _is_sent():
	return _socket_id >= 0 or _http != null
