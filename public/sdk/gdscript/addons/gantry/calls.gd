# The calls that have no response yet: sends them over the socket or HTTP, and retries them where that is safe.
extends Resource

const GantryCall = preload("gantry_call.gd")
const GantryError = preload("gantry_error.gd")
const NEVER_MS = 9000000000000000

# A weak reference: the client holds this object.
var _client
var _platform
var _json
var _pending = []
var _settled = []


# A call that is not sent yet. Options: those of `call_operation`, "retries" and "is_sign_in".
func made(operation, input, options):
	var call = GantryCall.new()
	call._operation = operation
	call._input = input.duplicate()
	if options.has("launcher_jwt"):
		call._input["launcherJwt"] = options["launcher_jwt"]
	if options.has("wallet"):
		call._input["wallet"] = options["wallet"]
	if options.has("idempotency_key"):
		call._input["idempotencyKey"] = options["idempotency_key"]
	call._over = "socket" if _client._is_about_connection(operation) else options.get("over", _client.call_over)
	call._timeout_ms = options.get("timeout_ms", _client.timeout_ms)
	call._retries = options.get("retries", _client.retries)
	call._is_sign_in = options.get("is_sign_in", false)
	var repeat = _client._repeat(operation)
	call._is_repeatable = repeat == "always" or (repeat == "with-key" and call._input.has("idempotencyKey"))
	return call


func send(call):
	call._attempt_deadline = _platform.now_ms() + call._timeout_ms
	_pending.append(call)
	return call


# Sends a call of the client itself, by default without retries; `listener.method(call)` is called once it is settled.
func ask(operation, input, options, listener, method):
	var call = made(operation, input, options)
	call._retries = options.get("retries", 0)
	call._listener = listener
	call._method = method
	return send(call)


# The call completes in the next frame; with an error, as failed.
func complete(call, error = null):
	call.error = error
	call.ok = error == null
	_client._own_presence.settled(call)
	_settled.append(call)
	return call


func update():
	for call in _pending.duplicate():
		if _pending.has(call):
			_update(call)


func tell_settled():
	while _settled.size() > 0:
		var call = _settled.pop_front()
		if call._listener != null:
			var listener = call._listener
			call._listener = null
			listener.call(call._method, call)
			continue
		call.emit_signal("completed", call)
		if call._queued != null:
			_client.emit_signal("queued_call_ended", call)


func answered(id, error_body, result):
	for call in _pending.duplicate():
		if call._socket_id != id:
			continue
		if error_body is Dictionary:
			fail(call, GantryError.new().read(error_body))
			return
		_client._before_next_event(call, result)
		_succeed(call, result)
		return


# The socket was closed: calls sent over it without a response may or may not have been executed.
func lose():
	for call in _pending.duplicate():
		if call._socket_id >= 0:
			fail(call, connection_lost())


# Nothing is called any more.
func fail_all(error):
	for call in _pending.duplicate():
		drop(call)
		if call._queued == null:
			complete(call, error)


func drop(call):
	_unsend(call)
	_pending.erase(call)


# Retries the call later if that is safe and there is time; otherwise it fails.
func fail(call, error):
	_unsend(call)
	var uses_own_token = call._is_sign_in or call._input.has("launcherJwt")
	if error.reason == "token_expired" and not uses_own_token and _client._session.replaces(call._sent_token, error):
		call._attempt_deadline = _platform.now_ms() + call._timeout_ms
		return # it is sent again with the next token
	if error.update != null and not uses_own_token and _client._end_error() == null:
		_client._end("refused", error, null)
	var is_signed_out = error.is_signed_out() or error == _client.status_error
	if call._queued != null and is_signed_out and not call._input.has("launcherJwt"):
		_pending.erase(call) # it stays first in the queue
		_client._queue.is_held = true
		return
	var is_safe = error.is_passing() or (error.reason == "connection_lost" and call._is_repeatable)
	var pause_ms = min(250 * pow(2, min(call._failures, 5)), 5000)
	if error.retry_after != null:
		pause_ms = error.retry_after * 1000
	var is_too_much = call._failures >= call._retries or pause_ms > _client.max_retry_delay_ms
	if not is_safe or (is_too_much and call._queued == null):
		_pending.erase(call)
		if call._queued != null:
			_client._queue.remove(call)
		complete(call, error)
		return
	if call._queued != null and error.is_passing():
		_client._queue.not_executed(call)
	call._failures += 1
	call._not_before = _platform.now_ms() + int(pause_ms)
	call._attempt_deadline = call._not_before + call._timeout_ms if call._queued == null else NEVER_MS


func connection_lost():
	var message = "No response from Gantry at %s: it could not be reached, or the connection was lost" % _client.url
	return GantryError.new().made("connection_lost", message)


func _update(call):
	var now = _platform.now_ms()
	if call._http != null and call._http.is_done:
		_take_http_answer(call)
	elif now > call._attempt_deadline:
		fail(call, connection_lost())
	elif not call._is_sent() and now >= call._not_before and (call._is_sign_in or not _client._session.is_signing_in):
		_send(call)


func _send(call):
	var is_about_connection = _client._is_about_connection(call._operation)
	var is_over_http = call._over == "http" or (_client.status == "closed" and not is_about_connection)
	var end = _client._end_error()
	if end != null and not call._is_sign_in and not (is_over_http and call._input.has("launcherJwt")):
		fail(call, end)
	elif is_over_http or _client._connection.is_accepted:
		call._attempt_deadline = _platform.now_ms() + call._timeout_ms
		call._sent_token = _client.launcher_jwt
		if call._queued != null:
			_client._queue.sent(call)
		if is_over_http:
			_send_over_http(call)
		else:
			call._socket_id = _client._connection.send_call(call._operation, call._input)
			if call._socket_id < 0:
				fail(call, GantryError.new().made("body_too_large", "The call is larger than the server accepts", 413))


func _send_over_http(call):
	var headers = ["Content-Type: application/json", "X-Service-Method: " + call._operation]
	headers.append("X-Gantry-Version: " + _client.SdkVersion.VERSION)
	if _client.game_version != null:
		headers.append("X-Game-Version: " + _client.game_version)
	var wallet = null if _client.player == null else _client.player.wallet
	if _client.game_secret != null:
		headers.append("Authorization: Bearer " + _client.game_secret)
		wallet = call._input.get("wallet", wallet) # the player called for
	if _client.route_by_player and wallet != null:
		headers.append("X-Gantry-Player: " + wallet)
	var data = call._input.duplicate()
	if _client.launcher_jwt != null and not call._is_sign_in and not data.has("launcherJwt"):
		data["launcherJwt"] = _client.launcher_jwt
	var query = "" if call._game == null else "?gameId=" + _platform.uri_encoded(str(call._game))
	call._http = _platform.post(_client, _client._address() + "/launcher" + query, headers, _json.write(data))


func _take_http_answer(call):
	var body = null if call._http.body == "" else _json.parse(call._http.body)
	if not body is Dictionary and call._http.status in [429, 503]:
		# A proxy responded instead of the server, so nothing was executed.
		var error = GantryError.new().made("unknown", "A proxy in front of the server has answered with status %d" % call._http.status, call._http.status)
		error.retry_after = call._http.retry_after
		fail(call, error)
	elif call._http.status == 0 or not body is Dictionary:
		fail(call, connection_lost()) # nothing, or the error page of a proxy
	elif call._http.status >= 400:
		fail(call, GantryError.new().read(body))
	else:
		_succeed(call, body)


func _succeed(call, result):
	drop(call)
	call.json = result
	call.data = _client._answer_record(call._operation, result)
	if call._queued != null:
		_client._queue.remove(call)
	if not _client._session.reads_player_first(call):
		complete(call)


func _unsend(call):
	if call._http != null:
		call._http.abort()
	call._http = null
	call._socket_id = -1
