# The base of gantry_client.gd: calls, and events, each delivered once and in order within its stream, also across lost
# connections. All work is done in _process, which emits the signals. Use gantry_client.gd, which adds a method for
# every operation and a signal for every event.
extends Node

const GantryCall = preload("gantry_call.gd")
const GantryError = preload("gantry_error.gd")
const GantryJson = preload("gantry_json.gd")
const Connection = preload("connection.gd")
const Cursors = preload("cursors.gd")
const SignRequest = preload("sign_request.gd")

# `status` has changed: closed, connecting, live, ended (the session; sign in again) or refused (see `status_error`).
# After ended and refused, the client does not reconnect.
signal status_changed(status)
# A stream's history is not available (at the first connection, or after too long an absence): reload the
# stream's data; later events follow without a gap. With `confirm_reloads`, call `reloaded` once that is done.
signal resync(stream)
# Every event and signal, including those unknown to this version of the SDK: its `name` on the wire and a Dictionary.
# `meta` has "stream"; for an event also "epoch" and "seq"; for a notification delivered late also "late".
signal received(name, record, meta)
# Deprecated: use `received`.
signal heard(name, record, meta)
# The data to persist across restarts of the game has changed; at most ten times a second, but immediately with every
# queued call. Store the text before you return, and set `saved_state` to it at the next start. `save_path` automates it.
signal state_changed(saved_state)
# A queued call has completed, including one queued before a restart of the game.
signal queued_call_ended(answer)

const CONNECTED_EVENT = "realtime-events connected"
const SKIPPED_EVENT = "realtime-events skipped"
# The delay before a retry when the server specifies none.
const PASSING_PAUSE_MS = 1000
# The windows of the rate limits are 30 and 60 s.
const RATE_LIMITED_PAUSE_MS = 10000
const SAVE_INTERVAL_MS = 100
# The server keeps idempotency keys for 24 hours; an hour less for clock skew.
const KEY_LIVES_MS = 82800000
const NEVER_MS = 9000000000000000

# The server's URL, such as http://127.0.0.1:3000, or a game's own address on it.
var url = ""
# The player's token. Without one, only operations that need none can be called, and no events are received: sign in.
var launcher_jwt = null
# For a game's own server, which names the player of each call with the option "wallet". Never ship it to players.
var game_secret = null
# The transport of calls, "socket" or "http"; events always arrive over the socket.
var call_over = "socket"
# The timeout of one attempt of a call.
var timeout_ms = 15000
# The maximum number of retries of a call that was not executed (429, 503, after Retry-After), or whose response was lost
# and that is idempotent: a read, or a write with an idempotency key. Queued calls are retried until there is a response.
var retries = 2
# A call is not retried when the server specifies a longer delay.
var max_retry_delay_ms = 10000
# The maximum number of calls in the offline queue; further ones fail with queue_full.
var max_queued = 1000
# The last text of `state_changed`: the cursors, the queue and a guest are restored from it. Keep one for each player. It
# contains a guest's secret, which authenticates the player.
var saved_state = null
# A file, such as user://gantry.json, in which the client stores its state automatically; one for each player.
var save_path = ""
# Saves the cursor of a stream that was not recovered only once `reloaded` was called.
var confirm_reloads = false

# closed, connecting, live, ended or refused
var status = "closed"
# With refused: the reason, a gantry_error.gd.
var status_error = null
# With live: the number of missed events being replayed.
var replayed = 0

var _platform = null
var _json = GantryJson.new()
var _connection = Connection.new()
var _cursors = Cursors.new()
var _pending = []
var _settled = []
# The offline queue, first to last: { "operation", "input", "idempotencyKey", "queuedAt" (Unix ms), "isSent" }.
var _queue = []
var _queued_calls = {}
var _is_queue_held = false
var _device_secret = null
var _subscriptions = {}
var _loading = {}
var _ready_calls = []
var _is_loaded = false
var _is_closed = false
var _is_dirty = false
var _is_handling = false
var _is_save_due = false
var _saved_at = 0


func _init():
	randomize()
	var folder = get_script().resource_path.get_base_dir()
	# Not preloaded: each version of Godot can parse only its own file.
	_platform = load(folder + "/platform_godot%d.gd" % Engine.get_version_info()["major"]).new()
	_json._platform = _platform
	_connection._owner = self
	_connection._platform = _platform
	_connection._json = _json


# Connects, and reconnects automatically from then on. The client has to be in the scene tree.
func open():
	_load_state()
	_is_closed = false
	_connection.open()
	_set_status("connecting")


# Disconnects until `open` is called: until then, calls fail with client_closed, and queued ones wait.
func close():
	_connection.close()
	_is_closed = true
	for call in _pending.duplicate():
		_unsend(call)
		_pending.erase(call)
		if call._queued == null:
			call.error = _client_closed()
			_settled.append(call)
	if _is_loaded:
		_save_now()
	_set_status("closed")


# Replaces the token and connects. With a saved state, the token must be the same player's.
func use_token(token):
	launcher_jwt = token
	_is_queue_held = false
	_lose_calls()
	open()


# A call that succeeds when the connection is live, and fails when it is refused, the session has ended, or, with
# connection_lost, after `timeout_ms` of connecting: the client continues to try.
func wait_until_ready():
	var waiting = GantryCall.new()
	_ready_calls.append(waiting)
	_settle_ready_calls()
	return waiting


# Deprecated: use `wait_until_ready`.
func ready_to_hear():
	return wait_until_ready()


# The last handled event of each stream: { "epoch", "seq" }.
func cursors():
	return _cursors.positions.duplicate(true)


# The number of queued writes that have no response yet.
func queued_count():
	return _queue.size()


# With `confirm_reloads`: call this once the stream's data was reloaded.
func reloaded(stream):
	if _loading.erase(stream):
		_is_dirty = true


# Calls an operation by its name on the wire with a plain Dictionary. Options: "idempotency_key" (a write that is retried
# with the same key is executed once, and is therefore retried automatically), "queued" (puts the write in the offline
# queue, with a separate key), "over" ("socket" or "http"), "timeout_ms", "launcher_jwt" (another token for this call),
# "wallet" (the player for whom a game's server calls).
func call_operation(operation, input = {}, options = {}):
	_load_state()
	var call = GantryCall.new()
	call._operation = operation
	call._input = input.duplicate()
	if options.has("launcher_jwt"):
		call._input["launcherJwt"] = options["launcher_jwt"]
	if options.has("wallet"):
		call._input["wallet"] = options["wallet"]
	if options.has("idempotency_key"):
		call._input["idempotencyKey"] = options["idempotency_key"]
	if options.get("queued", false):
		_enqueue(call)
		return call
	if _is_closed:
		call.error = _client_closed()
		_settled.append(call)
		return call
	call._over = "socket" if _is_about_connection(operation) else options.get("over", call_over)
	call._timeout_ms = options.get("timeout_ms", timeout_ms)
	call._attempt_deadline = _platform.now_ms() + call._timeout_ms
	call._is_repeatable = _repeat(operation) == "always" or (_repeat(operation) == "with-key" and call._input.has("idempotencyKey"))
	_pending.append(call)
	return call


# Signs in as a guest and connects: as the guest whose secret is in the saved state, or as a new one. The secret
# authenticates the player: a game that stores the `device_secret` of the result elsewhere, such as in the system's
# keychain, passes it here.
func sign_in_as_guest(game_id, device_secret = null, device_name = null):
	_load_state()
	var secret = _device_secret if device_secret == null else device_secret
	var input = {"gameId": game_id}
	if secret != null:
		input["deviceSecret"] = secret
	elif device_name != null:
		input["deviceName"] = device_name
	var call = call_operation("createGuest" if secret == null else "signInGuest", input, {"over": "http"})
	call._next = "_signed_in"
	call.device_secret = secret
	return call


# Signs in with a wallet and connects. `signer.call(method, text, request)` asks the wallet to sign the text with
# personal_sign (EIP-191), and calls `request.sign(signature)`, immediately or later.
func sign_in_with_wallet(game_id, wallet, signer, method = "sign", chain_id = null):
	var input = {"gameId": game_id, "wallet": wallet}
	return _begin_signing("createUnverifiedChannel", "verifyUnverifiedChannel", input, signer, method, chain_id)


# Links a wallet to the signed-in guest; the signer is the same as for sign_in_with_wallet. All data is kept; the guest's
# devices can no longer sign in.
func upgrade_guest_with_wallet(wallet, signer, method = "sign", chain_id = null):
	return _begin_signing("requestGuestUpgrade", "upgradeGuest", {"wallet": wallet}, signer, method, chain_id)


func _begin_signing(ask, verify, input, signer, method, chain_id):
	if chain_id != null:
		input["chainId"] = chain_id
	var call = call_operation(ask, input, {"over": "http"})
	call._next = "_sign"
	call._context = {"verify": verify, "signer": signer, "method": method, "chain_id": chain_id}
	return call


# The text was received: the call continues with the second operation.
func _sign(call):
	var request = SignRequest.new()
	request._client = self
	request._call = call
	var signer = call._context["signer"]
	signer.call(call._context["method"], call.json["signRequest"], request)
	return false


func _signature_given(call, signature):
	var input = {"channelId": call.json["channelId"], "signature": signature}
	if call._context["chain_id"] != null:
		input["chainId"] = call._context["chain_id"]
	call._operation = call._context["verify"]
	call._input = input
	call._next = "_signed_in"
	call._attempt_deadline = _platform.now_ms() + call._timeout_ms
	call._failures = 0
	_pending.append(call)


func _signed_in(call):
	if call.json.has("deviceSecret"):
		call.device_secret = call.json["deviceSecret"]
	if call.device_secret != null or call._operation == "upgradeGuest":
		_device_secret = call.device_secret
		_save_now()
	use_token(call.json["launcherJwt"])
	return true


func _process(_delta):
	update()


# Called by _process; for programs without a scene tree.
func update():
	_connection.update()
	_update_queue()
	for call in _pending.duplicate():
		_update_call(call)
	_update_ready_calls()
	if _is_dirty and _platform.now_ms() - _saved_at >= SAVE_INTERVAL_MS:
		_save_now()
	var settled = _settled
	_settled = []
	for call in settled:
		call.emit_signal("completed", call)
		if call._queued != null:
			emit_signal("queued_call_ended", call)


func _exit_tree():
	close()
	update() # tells who waits


# Callbacks of the connection

func _socket_url():
	var address = url
	if address.begins_with("http"):
		address = "ws" + address.substr(4, address.length() - 4)
	return _without_slash(address) + "/socket.io/?EIO=4&transport=websocket"


func _without_slash(address):
	return address.substr(0, address.length() - 1) if address.ends_with("/") else address


func _handshake():
	var handshake = {}
	if launcher_jwt != null:
		handshake["launcherJwt"] = launcher_jwt
		_cursors.add_to(handshake)
	if game_secret != null:
		handshake["gameSecret"] = game_secret
	return handshake


func _on_accepted():
	if launcher_jwt != null:
		return # live with the first event
	_connection.succeeded()
	replayed = 0
	_set_status("live")


func _on_event(name, record, meta):
	if name == CONNECTED_EVENT:
		_begin(record.get("streams", {}))
		return
	if not meta.has("stream"):
		return
	var verdict = _cursors.judge(name, meta, record.get("_id"))
	if verdict == Cursors.GAP:
		_lose_calls()
		_connection.reopen()
		_set_status("connecting")
	elif verdict == Cursors.TAKE:
		if meta.has("seq"):
			_is_dirty = true
		if name == SKIPPED_EVENT:
			return
		_is_handling = true # what is saved is never ahead of what the game has made of an event
		emit_signal("received", name, record, meta)
		emit_signal("heard", name, record, meta)
		_emit_event(name, record, meta)
		_handled()


func _handled():
	_is_handling = false
	if _is_save_due:
		_save_now()


func _on_answer(id, error_body, result):
	for call in _pending.duplicate():
		if call._socket_id != id:
			continue
		if error_body is Dictionary:
			_fail(call, GantryError.new().read(error_body))
			return
		# Before the next event of the stream is judged.
		if call._operation == "subscribe":
			_subscriptions[result["stream"]] = call._input
			_cursors.begin(result["stream"], result["epoch"], result["seq"])
			_is_dirty = true
		elif call._operation == "unsubscribe":
			_subscriptions.erase(result["stream"])
			_cursors.positions.erase(result["stream"]) # with a cursor, the next connection would subscribe again
			_is_dirty = true
		_succeed(call, result)
		return


func _on_lost():
	_lose_calls()
	_set_status("connecting")


func _on_ended():
	_lose_calls()
	_set_status("ended")


# Returns the delay before a retry, in milliseconds; null: no retry.
func _on_refused(body):
	var error = GantryError.new().read(body)
	if error.reason == "cursors_invalid" and _cursors.positions.size() > 0:
		_cursors.positions = {} # every stream is told to be loaded again
		_is_dirty = true
		return 0
	if error.code == 429 or error.code >= 500:
		if error.retry_after != null:
			return int(error.retry_after * 1000)
		return RATE_LIMITED_PAUSE_MS if error.code == 429 else PASSING_PAUSE_MS
	status_error = error
	_set_status("refused")
	return null


func _begin(streams):
	replayed = 0
	var missed = []
	for stream in streams:
		var epoch = streams[stream]["epoch"]
		var seq = streams[stream]["seq"]
		var recovered = streams[stream]["recovered"]
		replayed += streams[stream]["latest"] - seq
		if recovered and _cursors.is_beyond(stream, epoch, seq):
			continue # what comes again is dropped
		# The cursor may have been omitted: then nothing was missed if it equals the stream's position.
		if not recovered and not _cursors.is_at(stream, epoch, seq):
			missed.append(stream)
		_cursors.move_to(stream, epoch, seq)
	# The player no longer receives a stream that is not listed.
	for stream in _cursors.positions.keys():
		if not streams.has(stream):
			_cursors.positions.erase(stream)
	_is_dirty = true
	_connection.succeeded()
	_is_handling = true
	for stream in missed:
		_tell_resync(stream)
	_handled()
	_set_status("live")
	for stream in _subscriptions.keys():
		if not streams.has(stream):
			# The server knows of a subscription by its cursor; this one's was lost with those it refused.
			var again = call_operation("subscribe", _subscriptions[stream])
			again._next = "_subscribed_again"


func _subscribed_again(call):
	_tell_resync(call.json["stream"])
	return true


func _tell_resync(stream):
	if confirm_reloads:
		_loading[stream] = true
	emit_signal("resync", stream)


# Calls

func _update_call(call):
	var now = _platform.now_ms()
	if call._http != null and call._http.is_done:
		_take_http_answer(call)
	elif now > call._attempt_deadline:
		_fail(call, _connection_lost())
	elif not call._is_sent() and now >= call._not_before:
		_send(call)


func _send(call):
	var is_over_http = call._over == "http" or (status == "closed" and not _is_about_connection(call._operation))
	if not is_over_http and status == "refused":
		_fail(call, status_error)
	elif not is_over_http and status == "ended":
		_fail(call, _session_ended())
	elif is_over_http or _connection.is_accepted:
		call._attempt_deadline = _platform.now_ms() + call._timeout_ms
		if call._queued != null and not call._queued.get("isSent", false):
			# Before it is sent, because after a crash it may have been executed.
			call._queued["isSent"] = true
			_save_now()
		if is_over_http:
			_send_over_http(call)
		else:
			call._socket_id = _connection.send_call(call._operation, call._input)
			if call._socket_id < 0:
				_fail(call, GantryError.new().made("body_too_large", "The call is larger than the server accepts", 413))


func _send_over_http(call):
	var headers = ["Content-Type: application/json", "X-Service-Method: " + call._operation]
	if game_secret != null:
		headers.append("Authorization: Bearer " + game_secret)
	var data = call._input.duplicate()
	if launcher_jwt != null and not data.has("launcherJwt"):
		data["launcherJwt"] = launcher_jwt
	call._http = _platform.post(self, _without_slash(url) + "/launcher", headers, _json.write(data))


func _take_http_answer(call):
	var body = _json.parse(call._http.body)
	if not body is Dictionary and call._http.status in [429, 503]:
		# A proxy responded instead of the server, so nothing was executed.
		var error = GantryError.new().made("unknown", "A proxy in front of the server has answered with status %d" % call._http.status, call._http.status)
		error.retry_after = call._http.retry_after
		_fail(call, error)
	elif call._http.status == 0 or not body is Dictionary:
		_fail(call, _connection_lost()) # nothing, or the error page of a proxy
	elif call._http.status >= 400:
		_fail(call, GantryError.new().read(body))
	else:
		_succeed(call, body)


func _succeed(call, result):
	call.json = result
	_unsend(call)
	_pending.erase(call)
	if call._next != "" and not callv(call._next, [call]):
		return # it goes on
	call.ok = true
	call.data = _answer_record(call._operation, result)
	_settle(call)


# Retries the call later if that is safe and there is time; otherwise it fails.
func _fail(call, error):
	_unsend(call)
	var is_signed_out = error.is_signed_out() or error == status_error
	if call._queued != null and is_signed_out and not call._input.has("launcherJwt"):
		_pending.erase(call) # it stays first in the queue
		_is_queue_held = true
		return
	var is_safe = error.is_passing() or (error.reason == "connection_lost" and call._is_repeatable)
	var pause_ms = min(250 * pow(2, min(call._failures, 5)), 5000)
	if error.retry_after != null:
		pause_ms = error.retry_after * 1000
	var is_too_much = call._failures >= retries or pause_ms > max_retry_delay_ms
	if not is_safe or (is_too_much and call._queued == null):
		_pending.erase(call)
		call.error = error
		_settle(call)
		return
	call._failures += 1
	call._not_before = _platform.now_ms() + int(pause_ms)
	call._attempt_deadline = call._not_before + call._timeout_ms if call._queued == null else NEVER_MS


func _settle(call):
	if call._queued != null:
		_queue.erase(call._queued)
		_queued_calls.erase(call._queued["idempotencyKey"])
		_save_now()
	_settled.append(call)


func _unsend(call):
	if call._http != null:
		call._http.abort()
	call._http = null
	call._socket_id = -1


# The socket was closed: calls sent over it without a response may or may not have been executed.
func _lose_calls():
	for call in _pending.duplicate():
		if call._socket_id >= 0:
			_fail(call, _connection_lost())


func _connection_lost():
	return GantryError.new().made("connection_lost", "No response: the server could not be reached, or the connection was lost")


func _client_closed():
	return GantryError.new().made("client_closed", "The client was closed before the response arrived")


func _session_ended():
	return GantryError.new().made("session_ended", "The session has ended; sign in again", 401)


# A call that fails in the next frame.
func _failed_call(reason, message):
	var call = GantryCall.new()
	call.error = GantryError.new().made(reason, message)
	_settled.append(call)
	return call


# The offline queue

func _enqueue(call):
	if _repeat(call._operation) != "with-key":
		call.error = GantryError.new().made("input_invalid", call._operation + " cannot be queued: it is no write that takes an idempotency key")
		_settled.append(call)
		return
	if _queue.size() >= max_queued:
		call.error = GantryError.new().made("queue_full", "The offline queue is full (%d calls)" % max_queued)
		_settled.append(call)
		return
	if not call._input.has("idempotencyKey"):
		call._input["idempotencyKey"] = _platform.random_id()
	var key = call._input["idempotencyKey"]
	var input = call._input.duplicate()
	input.erase("idempotencyKey")
	call._queued = {"operation": call._operation, "input": input, "idempotencyKey": key, "queuedAt": _platform.unix_ms()}
	_queue.append(call._queued)
	_queued_calls[key] = call
	_save_now()


func _update_queue():
	if _queue.size() == 0 or _is_queue_held or _is_closed or (launcher_jwt == null and game_secret == null):
		return
	for call in _pending:
		if call._queued != null:
			return
	var first = _queue[0]
	var next = _queued_calls.get(first["idempotencyKey"])
	if next == null:
		next = GantryCall.new() # of an earlier run of the game
		next._operation = first["operation"]
		next._input = first["input"].duplicate()
		next._input["idempotencyKey"] = first["idempotencyKey"]
		next._queued = first
		_queued_calls[first["idempotencyKey"]] = next
	if first.get("isSent", false) and _platform.unix_ms() - first["queuedAt"] > KEY_LIVES_MS:
		next.error = GantryError.new().made("queue_expired", first["operation"] + " was sent too long ago to be retried; it may have been executed")
		_settle(next)
		return
	next._over = call_over
	next._timeout_ms = timeout_ms
	next._is_repeatable = true
	next._not_before = 0
	next._attempt_deadline = NEVER_MS # until it is sent
	_pending.append(next)


# State

func _set_status(now):
	status = now
	emit_signal("status_changed", now)
	_settle_ready_calls()


func _settle_ready_calls():
	if status == "connecting" or (status == "closed" and not _is_closed):
		return
	for waiting in _ready_calls:
		waiting.ok = status == "live"
		if status == "refused":
			waiting.error = status_error
		elif status == "ended":
			waiting.error = _session_ended()
		elif status == "closed":
			waiting.error = _client_closed()
		_settled.append(waiting)
	_ready_calls = []


func _update_ready_calls():
	var now = _platform.now_ms()
	for waiting in _ready_calls.duplicate():
		if status != "connecting" or waiting._attempt_deadline == 0:
			waiting._attempt_deadline = now + timeout_ms
		elif now > waiting._attempt_deadline:
			_ready_calls.erase(waiting)
			var message = "No connection to Gantry at %s after %s s; the client continues to try" % [url, timeout_ms / 1000.0]
			waiting.error = GantryError.new().made("connection_lost", message)
			_settled.append(waiting)


func _load_state():
	if _is_loaded:
		return
	_is_loaded = true
	if saved_state == null and save_path != "":
		saved_state = _platform.load_text(save_path)
	if saved_state == null:
		return
	var saved = _json.parse(saved_state)
	if not saved is Dictionary:
		push_error("Gantry: the saved state cannot be read; events are not replayed, and every stream is told to be loaded again")
		return
	_cursors.load_saved(saved.get("cursors"), saved.get("notifications"))
	if saved.get("queue") is Array:
		for queued in saved["queue"]:
			_queue.append(queued)
	_device_secret = saved.get("deviceSecret")


func _save_now():
	_is_save_due = _is_handling
	if _is_handling:
		return
	_is_dirty = false
	_saved_at = _platform.now_ms()
	var cursors_to_save = {}
	for stream in _cursors.positions:
		if not _loading.has(stream):
			cursors_to_save[stream] = _cursors.positions[stream]
	var state = {"cursors": cursors_to_save, "notifications": _cursors.notification_ids, "queue": _queue}
	if _device_secret != null:
		state["deviceSecret"] = _device_secret
	var text = _json.write(state)
	if save_path != "" and _platform.save_text(save_path, text) != OK:
		push_error("Gantry: the state cannot be written to " + save_path)
	emit_signal("state_changed", text)


# Overridden by gantry_client.gd, which knows the operations and events

# always, with-key or never
func _repeat(_operation):
	return "never"


func _is_about_connection(_operation):
	return false


func _answer_record(_operation, result):
	return result


func _emit_event(_name, _record, _meta):
	pass


# The input of a generated method: `fields` maps each optional field to its name on the wire.
func _call_generated(operation, required, optional, fields, options):
	var input = required
	for name in optional:
		if not fields.has(name):
			return _failed_call("input_invalid", "%s has no optional field %s; it has: %s" % [operation, name, str(fields.keys())])
		if optional[name] != null:
			input[fields[name]] = optional[name]
	return call_operation(operation, input, options)
