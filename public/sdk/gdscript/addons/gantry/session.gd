# The player's session: renews it while it is open, and signs the player in again when it has ended.
extends Resource

const Backoff = preload("backoff.gd")
const GantryError = preload("gantry_error.gd")
const TokenRequest = preload("token_request.gd")
const NEVER_MS = 9000000000000000
# The part of a session's time after which it is renewed.
const RENEW_AFTER = 0.9
# Sessions opened in other ways are renewed by who opened them.
const RENEWABLE = ["device", "wallet"]

# Nothing but sign-in is sent meanwhile.
var is_signing_in = false
# The server has told that the session has ended, and closes the connection.
var is_over = false

# A weak reference: the client holds this object.
var _client
var _platform
# The game to sign in to again with the guest's secret, and the secret; null if the player signed in otherwise.
var _game = null
var _secret = null
var _expires_at = 0
var _renew_at = NEVER_MS
# With is_signing_in: when to try again; NEVER_MS while a try is under way.
var _again_at = NEVER_MS
# The player was signed in again, and the connection has not accepted that yet.
var _is_new = false
var _request = null
# With is_signing_in: the error for which, if that fails, the client is refused; null: the session has ended.
var _refusal = null
# Why it ended, if the server has told it.
var _end_reason = null
var _backoff = Backoff.new()


# `opened_by`: how the session was opened, as getPlayer answers it.
func begin(token, its_player, expires_at, opened_by):
	_client.launcher_jwt = token
	_client._queue.is_held = false
	_client.player = its_player
	is_signing_in = false
	is_over = false
	_end_reason = null
	_expires_at = expires_at
	_backoff.reset()
	_plan_renewal(opened_by in RENEWABLE)


# The player can be signed in again with this secret; null: no longer.
func keep_secret(game, secret):
	_game = game
	_secret = secret


# For a token of which nothing else is known.
func forget():
	stop()
	_renew_at = NEVER_MS
	_is_new = false
	is_over = false
	_end_reason = null
	keep_secret(null, null)


# The client does not connect any more.
func stop():
	is_signing_in = false
	_again_at = NEVER_MS
	_request = null


func update():
	var now = _platform.now_ms()
	if _client.status == "live" and now >= _renew_at:
		_renew_at = NEVER_MS
		var options = {"launcher_jwt": _client.launcher_jwt}
		_client._calls.ask("renewChannelSession", {}, options, self, "_renewed")
	if is_signing_in and now >= _again_at:
		_again_at = NEVER_MS
		_sign_in_again()


func connected():
	_is_new = false
	_backoff.reset()


func told_end(reason):
	is_over = true
	_end_reason = reason


# The server has ended the session.
func ended():
	if _end_reason != "expired" or not _can_sign_in():
		_client._end("ended", null, _end_reason)
		return
	_begin_signing_in(null)


# The connection was refused. Returns whether the player is signed in again.
func refused(error):
	if not error.is_expiry() or not _can_sign_in():
		return false
	_begin_signing_in(error)
	return true


# A call that was sent with this token was refused, because it has expired. Returns whether there is, or will be, another.
func replaces(token, error):
	if is_signing_in or token != _client.launcher_jwt:
		return true
	if not _can_sign_in():
		return false
	_begin_signing_in(error)
	return true


# Whether the call's response is told only after the player was read again, which it has changed.
func reads_player_first(call):
	if call._operation != "setUsername" or _client.player == null or call._input.has("launcherJwt") or call._input.has("wallet"):
		return false
	_read_player()._context = {"call": call}
	return true


func _read_player():
	return _client._calls.ask("getPlayer", {}, {"launcher_jwt": _client.launcher_jwt}, self, "_player_read")


func _player_read(read):
	if read.ok and read._input["launcherJwt"] == _client.launcher_jwt:
		_client.player = read.data.player
	if read._context.has("call"):
		_client._calls.complete(read._context["call"])


func _plan_renewal(is_renewable):
	_renew_at = NEVER_MS
	if is_renewable:
		_renew_at = _platform.now_ms() + int((_expires_at - _platform.unix_ms()) * RENEW_AFTER)


func _renewed(call):
	if call._input["launcherJwt"] != _client.launcher_jwt:
		return # there is another session
	if call.ok and call.json["expiresAt"] > _expires_at:
		_backoff.reset()
		_client.launcher_jwt = call.json["launcherJwt"]
		_expires_at = call.json["expiresAt"]
		_plan_renewal(true)
		_client._state.keep_session(_client.launcher_jwt, _expires_at)
		_read_player()
	elif not call.ok and _backoff.is_temporary(call.error):
		_renew_at = _platform.now_ms() + _backoff.next_ms(call.error)


func _can_sign_in():
	return not _is_new and (_client.renewer != null or _secret != null)


func _begin_signing_in(refusal):
	is_signing_in = true
	_refusal = refusal
	_again_at = _platform.now_ms()
	_renew_at = NEVER_MS
	_client._disconnect_for_sign_in()


func _sign_in_again():
	if _client.renewer != null:
		_request = TokenRequest.new()
		_request._client = _client
		_client.renewer.call("renew_token", _request)
	else:
		var input = {"gameId": _game, "deviceSecret": _secret}
		_client._calls.ask("signInGuest", input, {"over": "http", "is_sign_in": true}, self, "_signed_in_again")


func _token_given(request, token):
	if request != _request:
		return # closed meanwhile, or given twice
	_request = null
	if token == "":
		_fail(null)
		return
	var options = {"over": "http", "is_sign_in": true, "launcher_jwt": token}
	_client._calls.ask("getPlayer", {}, options, self, "_signed_in_again")


func _signed_in_again(call):
	if not is_signing_in:
		return # closed meanwhile
	if not call.ok and _backoff.is_temporary(call.error):
		_again_at = _platform.now_ms() + _backoff.next_ms(call.error)
	elif not call.ok:
		_fail(call.error)
	elif _client.player != null and call.data.player.wallet != _client.player.wallet:
		_fail(null)
	else:
		var is_checked = call._operation == "getPlayer"
		var token = call._input["launcherJwt"] if is_checked else call.json["launcherJwt"]
		var about = call.json["session"] if is_checked else {"expiresAt": call.json["expiresAt"], "openedBy": "device"}
		begin(token, call.data.player, about["expiresAt"], about["openedBy"])
		_is_new = true
		_client._state.keep_session(token, about["expiresAt"])
		_client._reconnect()


func _fail(error):
	is_signing_in = false
	if _refusal == null:
		_client._end("ended", null, _end_reason)
	else:
		_client._end("refused", _refusal if error == null else error, null)
