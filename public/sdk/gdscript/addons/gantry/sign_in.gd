# Signs players in: `start`, which finds the player, and as a guest or with a wallet.
extends Resource

const Backoff = preload("backoff.gd")
const GantryCall = preload("gantry_call.gd")
const GantryError = preload("gantry_error.gd")
const SignRequest = preload("sign_request.gd")

const START_OPTIONS = ["game", "username", "device_name", "device_secret", "launcher_jwt", "timeout_ms"]
# Signing in is tried for this long while the server is busy or does not answer.
const START_TIMEOUT_MS = 60000
# A saved session that ends sooner is not used.
const MIN_REMAINING_MS = 60000

# A weak reference: the client holds this object.
var _client
var _platform
# Of the running `start`: its call, its options, the tokens still to check, each { "token", "source" }, the current try,
# and when to make it again.
var _started = null
var _options = {}
var _tokens = []
var _current = null
var _again_at = null
var _deadline = 0
var _backoff = Backoff.new()


func start(options):
	var call = GantryCall.new()
	for option in options:
		if not option in START_OPTIONS:
			return _refused(call, "start has no option %s; it has: %s" % [option, START_OPTIONS])
	if not options.has("game"):
		return _refused(call, "start needs the option game: the slug or the id of the game")
	if not (_client.url.begins_with("http://") or _client.url.begins_with("https://")):
		return _refused(call, "The server's URL must begin with http:// or https://, unlike '%s'" % _client.url)
	if _started != null:
		return _refused(call, "start is already under way")
	_client._load_state()
	if _client._state.fault != null:
		return _refused(call, _client._state.fault)
	_started = call
	_options = options
	_tokens = []
	_add_token(options.get("launcher_jwt"), "option")
	_add_token(_platform.launchers_token(), "launcher")
	var session = _client._state.session
	var is_of_other = not options.get("device_secret") in [null, _client._state.device_secret]
	if session is Dictionary and not is_of_other and session["expiresAt"] - _platform.unix_ms() > MIN_REMAINING_MS:
		_add_token(session["launcherJwt"], "store")
	_deadline = _platform.now_ms() + options.get("timeout_ms", START_TIMEOUT_MS)
	_backoff.reset()
	_try()
	return call


func stop(error):
	if _started != null:
		_finish(error)


func update():
	if _started != null and _again_at != null and _platform.now_ms() >= _again_at:
		_try()


func as_guest(game_id, secret, device_name, username):
	if _client._state.fault != null:
		return _refused(GantryCall.new(), _client._state.fault)
	if secret == null:
		secret = _client._state.device_secret
	var call = _guest_call(game_id, secret, device_name, username)
	call._listener = self
	call._method = "_guest_signed_in"
	return _client._calls.send(call)


func with_wallet(ask, verify, input, signer, method, chain_id, options):
	if chain_id != null:
		input["chainId"] = chain_id
	options["over"] = "http"
	options["is_sign_in"] = true
	var call = _client._calls.made(ask, input, options)
	call._listener = self
	call._method = "_challenged"
	call._context = {"verify": verify, "signer": signer, "method": method, "chain_id": chain_id}
	return _client._calls.send(call)


func _refused(call, message):
	return _client._calls.complete(call, GantryError.new().made("input_invalid", message))


func _add_token(token, source):
	if token != null and token != "":
		_tokens.append({"token": token, "source": source})


func _secret():
	var given = _options.get("device_secret")
	return _client._state.device_secret if given == null else given


# Tries the next source of a player.
func _try():
	_again_at = null
	if _tokens.size() > 0:
		var options = {"over": "http", "is_sign_in": true, "launcher_jwt": _tokens[0]["token"]}
		_current = _client._calls.ask("getPlayer", {}, options, self, "_token_checked")
		_current._game = _options["game"]
	elif _secret() == null and _client._state.wallet != null:
		# The player of this device has a wallet: never silently another one.
		_finish(GantryError.new().made("session_ended", "The session has ended; sign in again", 401))
	else:
		_current = _guest_call(_options["game"], _secret(), _options.get("device_name"), _options.get("username"))
		_current._retries = 0
		_current._listener = self
		_current._method = "_guest_started"
		_client._calls.send(_current)


func _guest_call(game, secret, device_name, username):
	var input = {"gameId": game}
	if secret != null:
		input["deviceSecret"] = secret
	else:
		if device_name != null:
			input["deviceName"] = device_name
		if username != null:
			input["username"] = username
	var call = _client._calls.made("createGuest" if secret == null else "signInGuest", input, {"over": "http", "is_sign_in": true})
	call.device_secret = secret
	return call


func _token_checked(call):
	if call != _current:
		return # closed meanwhile
	if call.ok:
		var session = call.json["session"]
		var source = _tokens[0]["source"]
		if source == "store" and _secret() != null:
			_client._session.keep_secret(_options["game"], _secret())
		var is_own = source == "store" or _client._state.is_of(call.data.player)
		_adopt(_tokens[0]["token"], call.data.player, session["expiresAt"], session["openedBy"], is_own)
	elif call.error.code == 401 and _tokens[0]["source"] != "option":
		_tokens.pop_front()
		_try()
	else:
		_try_later(call.error)


func _guest_started(call):
	if call != _current:
		return # closed meanwhile
	if call.ok:
		_started.device_secret = _begin_guest(call)
		_open()
	else:
		_try_later(call.error)


func _try_later(error):
	var pause_ms = _backoff.next_ms(error)
	if _backoff.is_temporary(error) and _platform.now_ms() + pause_ms < _deadline:
		_again_at = _platform.now_ms() + pause_ms
	else:
		_finish(error)


func _adopt(token, player, expires_at, opened_by, is_own):
	if is_own:
		_client._state.use_own(player, {"launcherJwt": token, "expiresAt": expires_at})
	else:
		_client._state.use_launchers(player)
	_client._session.begin(token, player, expires_at, opened_by)
	_client._save_now()
	if _started != null:
		_open()


func _open():
	_client._reconnect()
	_current = _client.wait_until_ready()
	_current._listener = self
	_current._method = "_opened"


func _opened(waiting):
	if waiting != _current:
		return # closed meanwhile
	if waiting.ok:
		_finish(null)
	else:
		_finish(waiting.error)
		_client.close()


func _finish(error):
	var call = _started
	_started = null
	_current = null
	_again_at = null
	_tokens = []
	if error == null:
		call.data = _client.player
		call.json = _client.player.json
	_client._calls.complete(call, error)


# Returns the guest's secret.
func _begin_guest(call):
	var secret = call.json.get("deviceSecret", call.device_secret)
	call.device_secret = secret
	_client._state.device_secret = secret
	_client._session.keep_secret(call._input["gameId"], secret)
	_begin(call, "device")
	return secret


func _begin(call, opened_by):
	var token = call.json["launcherJwt"]
	var expires_at = call.json["expiresAt"]
	_client._state.use_own(call.data.player, {"launcherJwt": token, "expiresAt": expires_at})
	_client._session.begin(token, call.data.player, expires_at, opened_by)
	_client._save_now()


func _guest_signed_in(call):
	if call.ok:
		_begin_guest(call)
		_client._reconnect()
	_client._calls.complete(call, call.error)


# The text was received: the call continues with the second operation.
func _challenged(call):
	if not call.ok:
		_client._calls.complete(call, call.error)
		return
	var request = SignRequest.new()
	request._client = _client
	request._call = call
	call._context["signer"].call(call._context["method"], call.json["signRequest"], request)


func _signature_given(call, signature):
	var input = {"channelId": call.json["channelId"], "signature": signature}
	for field in ["launcherJwt", "chainId"]:
		if call._input.has(field):
			input[field] = call._input[field]
	call._operation = call._context["verify"]
	call._input = input
	call._listener = self
	call._method = "_wallet_signed_in"
	call._failures = 0
	call.ok = false
	_client._calls.send(call)


func _wallet_signed_in(call):
	if call.ok:
		if call._operation == "upgradeGuest":
			_client._state.device_secret = null # the guest's devices can no longer sign in
			_client._state.wallet = null # another address of the same player, who keeps what is stored
		_client._session.keep_secret(null, null)
		_begin(call, "wallet")
		_client._reconnect()
	_client._calls.complete(call, call.error)
