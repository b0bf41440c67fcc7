# The base of gantry_client.gd: calls, and events, each delivered once and in order within its stream, also across lost
# connections. All work is done in _process, which emits the signals. Use gantry_client.gd, which adds a method for
# every operation and a signal for every event.
extends Node

const Calls = preload("calls.gd")
const CallQueue = preload("call_queue.gd")
const Config = preload("config.gd")
const ConfigValues = preload("config_values.gd")
const Connection = preload("connection.gd")
const Cursors = preload("cursors.gd")
const FriendList = preload("friend_list.gd")
const Friends = preload("friends.gd")
const GantryCall = preload("gantry_call.gd")
const GantryError = preload("gantry_error.gd")
const GantryJson = preload("gantry_json.gd")
const Leaderboard = preload("leaderboard.gd")
const LeaderboardRows = preload("leaderboard_rows.gd")
const OwnPresence = preload("own_presence.gd")
const SavedState = preload("saved_state.gd")
const SdkVersion = preload("sdk_version.gd")
const Session = preload("session.gd")
const SignIn = preload("sign_in.gd")

# `status` has changed: closed, connecting, live, ended (the session, see `end_reason`) or refused (see `status_error`).
# After ended and refused, the client does not reconnect: sign in again.
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
const SESSION_EVENT = "game-channels patched"
# The delay before a retry when the server specifies none.
const PASSING_PAUSE_MS = 1000
# The windows of the rate limits are 30 and 60 s.
const RATE_LIMITED_PAUSE_MS = 10000
const SAVE_INTERVAL_MS = 100
# Where `start` keeps the player when the game does not say.
const SAVE_PATH = "user://gantry.json"

# The server's URL, such as http://127.0.0.1:3000, or a game's own address on it.
var url = ""
# The player's token. Without one, only operations that need none can be called, and no events are received: `start`.
var launcher_jwt = null
# For games whose own server opens the sessions: an object with the method `renew_token(request)`, which gets a new token
# when the session has ended, and calls `request.give(token)`, immediately or later.
var renewer = null
# For a game's own server, which names the player of each call with the option "wallet". Never ship it to players.
var game_secret = null
# Of a launcher: the player's status before the first `set_status`, such as {"status": "invisible"}; an invisible player is
# never shown.
var player_status = null
# The version of the game, one to four numbers such as "1.4.2". The server may require a newer one: `update_required`.
var game_version = null
# What the game says of its build, for rules of its config with a `label`, such as "beta" or "android".
var config_label = null
# The transport of calls, "socket" or "http"; events always arrive over the socket.
var call_over = "socket"
# Names the player to proxies, with `X-Gantry-Player` for calls over HTTP and `?player=` for the socket, so that they can
# keep a player on one of several nodes. The server ignores it.
var route_by_player = false
# The timeout of one attempt of a call.
var timeout_ms = 15000
# The maximum number of retries of a call that was not executed (429, 503, after Retry-After), or whose response was lost
# and that is idempotent: a read, or a write with an idempotency key. Queued calls are retried until there is a response.
var retries = 2
# A call is not retried when the server specifies a longer delay.
var max_retry_delay_ms = 10000
# The maximum number of calls in the offline queue; further ones fail with queue_full.
var max_queued = 1000
# The last text of `state_changed`: the player, the cursors and the queue are restored from it. It contains the session's
# token and a guest's secret, which authenticate the player.
var saved_state = null
# A file, such as user://gantry.json, in which the client stores its state automatically.
var save_path = ""
# Saves the cursor of a stream that was not recovered only once `reloaded` was called.
var confirm_reloads = false

# closed, connecting, live, ended or refused
var status = "closed"
# With refused: the reason, a gantry_error.gd.
var status_error = null
# What the server has said about the version of this SDK, if the next version of the server will refuse it; null: nothing.
var warning = null
# With ended: why the server ended the session, such as "banned"; null if unknown.
var end_reason = null
# With live: the number of missed events being replayed.
var replayed = 0
# The player, a record with wallet, user_id, username, is_named, avatar and is_guest; null before signing in, and for a
# client with a token obtained elsewhere.
var player = null

var _platform = null
var _json = GantryJson.new()
var _connection = Connection.new()
var _cursors = Cursors.new()
var _calls = Calls.new()
var _queue = CallQueue.new()
var _state = SavedState.new()
var _session = Session.new()
var _sign_in = SignIn.new()
var _friend_list = FriendList.new()
var _own_presence = OwnPresence.new()
var _config_values = ConfigValues.new()
var _session_id = null
var _subscriptions = {}
var _loading = {}
var _ready_calls = []
# The rows of the followed leaderboards, by name; and the stream of their changes, once this connection has it.
var _leaderboards = {}
var _game_stream = null
var _is_closed = false
var _is_dirty = false
var _is_handling = false
var _is_save_due = false
var _saved_at = 0


# Called by gantry_client.gd: where a class has an `_init`, Godot 4 does not call that of its base, Godot 3 does.
func _set_up():
	randomize()
	var folder = _calls.get_script().resource_path.get_base_dir() # this one's own may be a script that extends the client
	# Not preloaded: each version of Godot can parse only its own file.
	_platform = load(folder + "/platform_godot%d.gd" % Engine.get_version_info()["major"]).new()
	_json._platform = _platform
	_connection._owner = self
	_connection._platform = _platform
	_connection._json = _json
	_calls._json = _json
	_state._json = _json
	for part in [_calls, _queue, _state, _session, _sign_in, _config_values]:
		part._platform = _platform
	for part in [_calls, _queue, _state, _session, _sign_in, _friend_list, _own_presence, _config_values]:
		part._client = self


# Finds the player and connects; succeeds when the connection is live. The player is that of the launcher that has opened
# the game, otherwise the guest of this device, otherwise a new guest. Options: "game" (its slug or id), "username" (of a
# new guest), "device_name", "device_secret" (of a guest, if the game stores it itself), "launcher_jwt" (a token obtained
# elsewhere), "timeout_ms" (how long signing in is tried, by default a minute). The `data` of the result is `player`.
# Without `save_path`, `saved_state` and a handler of `state_changed`, the player is kept in user://gantry.json.
func start(options):
	if save_path == "" and saved_state == null and get_signal_connection_list("state_changed").size() == 0:
		save_path = SAVE_PATH
	return _sign_in.start(options)


# Connects with `launcher_jwt`, and reconnects automatically from then on. The client has to be in the scene tree.
func open():
	_load_state()
	_is_closed = false
	_connection.open()
	_set_status("connecting")


# Disconnects until `open` or `start` is called: until then, calls fail with client_closed. Queued ones fail too, but stay
# in the queue.
func close():
	_connection.close()
	_is_closed = true
	_queue.reject(_client_closed())
	_calls.fail_all(_client_closed())
	_sign_in.stop(_client_closed())
	_session.stop()
	if _state.is_loaded:
		_save_now()
	_set_status("closed")


# Replaces the token and connects. With a saved state, the token must be the same player's.
func use_token(token):
	launcher_jwt = token
	player = null
	_session.forget()
	_reconnect()


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
	return _queue.items.size()


# With `confirm_reloads`: call this once the stream's data was reloaded.
func reloaded(stream):
	if _loading.erase(stream):
		_is_dirty = true


# A leaderboard of the session's game, the default one without a name: connect its signal `changed` and `follow` it.
func leaderboard(name = "default"):
	var board = Leaderboard.new()
	board._client = self
	board._board_name = name
	add_child(board)
	return board


# The player's friends, with their presence: connect its signal `changed` and `follow` it.
func friends():
	var made = Friends.new()
	made._client = self
	add_child(made)
	return made


# The game's config: connect its signal `changed` and `follow` it, or ask for a `value`.
func config():
	var made = Config.new()
	made._client = self
	add_child(made)
	return made


# Calls an operation by its name on the wire with a plain Dictionary. Options: "idempotency_key" (a write that is retried
# with the same key is executed once, and is therefore retried automatically), "queued" (puts the write in the offline
# queue, with a separate key), "over" ("socket" or "http"), "timeout_ms", "launcher_jwt" (another token for this call),
# "wallet" (the player for whom a game's server calls).
func call_operation(operation, input = {}, options = {}):
	_load_state()
	var call = _calls.made(operation, input, options)
	if options.get("queued", false):
		return _queue.add(call)
	if _is_closed:
		return _calls.complete(call, _client_closed())
	_own_presence.sending(call)
	return _calls.send(call)


# Signs in as a guest and connects: as the guest whose secret is in the saved state, or as a new one. The secret
# authenticates the player: a game that stores the `device_secret` of the result elsewhere, such as in the system's
# keychain, passes it here.
func sign_in_as_guest(game_id, device_secret = null, device_name = null, username = null):
	_load_state()
	return _sign_in.as_guest(game_id, device_secret, device_name, username)


# Signs in with a wallet and connects. `signer.call(method, text, request)` asks the wallet to sign the text with
# personal_sign (EIP-191), and calls `request.sign(signature)`, immediately or later.
func sign_in_with_wallet(game_id, wallet, signer, method = "sign", chain_id = null):
	_load_state()
	var input = {"gameId": game_id, "wallet": wallet}
	return _sign_in.with_wallet("createUnverifiedChannel", "verifyUnverifiedChannel", input, signer, method, chain_id, {})


# Links a wallet to the signed-in guest; the signer is the same as for sign_in_with_wallet. All data is kept; the guest's
# devices can no longer sign in.
func upgrade_guest_with_wallet(wallet, signer, method = "sign", chain_id = null):
	var options = {"launcher_jwt": launcher_jwt}
	return _sign_in.with_wallet("requestGuestUpgrade", "upgradeGuest", {"wallet": wallet}, signer, method, chain_id, options)


func _process(_delta):
	update()


# Called by _process; for programs without a scene tree.
func update():
	_connection.update()
	_session.update()
	_sign_in.update()
	_config_values.update()
	_queue.update()
	_calls.update()
	_update_ready_calls()
	if _is_dirty and _platform.now_ms() - _saved_at >= SAVE_INTERVAL_MS:
		_save_now()
	_calls.tell_settled()


func _exit_tree():
	close()
	update() # tells who waits


# Callbacks of the connection

func _socket_url():
	var address = _address()
	if address.begins_with("http"):
		address = "ws" + address.substr(4, address.length() - 4)
	var query = "&player=" + player.wallet if route_by_player and player != null else ""
	return address + "/socket.io/?EIO=4&transport=websocket" + query


func _address():
	return url.substr(0, url.length() - 1) if url.ends_with("/") else url


func _handshake():
	var handshake = {"gantryVersion": SdkVersion.VERSION}
	if launcher_jwt != null:
		handshake["launcherJwt"] = launcher_jwt
		_cursors.add_to(handshake)
	if game_secret != null:
		handshake["gameSecret"] = game_secret
	if game_version != null:
		handshake["gameVersion"] = game_version
	if _own_presence.status() != null:
		handshake["status"] = _own_presence.status()
	return handshake


func _on_accepted():
	if launcher_jwt != null:
		return # live with the first event
	_connection.succeeded()
	replayed = 0
	_set_status("live")
	_config_values.connected()


func _on_event(name, record, meta):
	if name == CONNECTED_EVENT:
		_session_id = record.get("sessionId")
		_warn(record.get("warning"))
		_begin(record.get("streams", {}))
		return
	if not meta.has("stream"):
		return
	if name == SESSION_EVENT and record.get("_id") == _session_id and record.get("exists") == false:
		_session.told_end(record.get("endReason"))
	if name == "friend-presence patched":
		_own_presence.learn(record.get("own"))
	var verdict = _cursors.judge(name, meta, record.get("_id"))
	if verdict == Cursors.GAP:
		_calls.lose()
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
		if meta["stream"] == _game_stream:
			for board in _leaderboards.values():
				board.received(name, record)
		_friend_list.received(name, record)
		_config_values.received(name, record)
		_handled()


func _handled():
	_is_handling = false
	if _is_save_due:
		_save_now()


func _on_answer(id, error_body, result):
	_calls.answered(id, error_body, result)


# Before the next event of the stream is judged.
func _before_next_event(call, result):
	if call._operation == "subscribe":
		_subscriptions[result["stream"]] = call._input
		_cursors.begin(result["stream"], result["epoch"], result["seq"])
		_is_dirty = true
	elif call._operation == "unsubscribe":
		_subscriptions.erase(result["stream"])
		_cursors.positions.erase(result["stream"]) # with a cursor, the next connection would subscribe again
		_is_dirty = true
	elif call._operation == "followPresence":
		_own_presence.learn(result.get("own"))


func _on_lost():
	if _session.is_over:
		# Godot 4 discards what arrives together with a close, as the end of a session does.
		_on_ended()
		return
	_calls.lose()
	_set_status("connecting")


func _on_ended():
	_calls.lose()
	_session.ended()


# Returns the delay before a retry, in milliseconds; null: no retry.
func _on_refused(body):
	var error = GantryError.new().read(body)
	if error.reason == "cursors_invalid" and _cursors.positions.size() > 0:
		_cursors.positions = {} # every stream has to be reloaded
		_is_dirty = true
		return 0
	if error.code == 429 or error.code >= 500:
		if error.retry_after != null:
			return int(error.retry_after * 1000)
		return RATE_LIMITED_PAUSE_MS if error.code == 429 else PASSING_PAUSE_MS
	if _own_presence.reduce(error.reason):
		return 0
	if not _session.refused(error):
		_end("refused", error, null)
	return null


func _warn(text):
	if text != null and warning == null:
		push_warning("Gantry: " + text)
	warning = text


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
	_session.connected()
	_is_handling = true
	for stream in missed:
		_tell_resync(stream)
	_handled()
	_own_presence.connected()
	_set_status("live")
	for stream in _subscriptions.keys():
		if not streams.has(stream):
			# The server knows of a subscription by its cursor; this one's was lost with those it refused.
			_calls.ask("subscribe", _subscriptions[stream], {}, self, "_subscribed_again")
	_game_stream = null
	for board in _leaderboards.values():
		board.reload() # changes are not replayed
	_friend_list.connected()
	_config_values.connected()


func _subscribed_again(call):
	if call.ok:
		_tell_resync(call.json["stream"])


func _tell_resync(stream):
	if confirm_reloads:
		_loading[stream] = true
	emit_signal("resync", stream)
	_friend_list.missed(stream)


func _leaderboard_rows(name):
	if not _leaderboards.has(name):
		_leaderboards[name] = LeaderboardRows.new()
		_leaderboards[name]._client = self
		_leaderboards[name]._board_name = name
	return _leaderboards[name]


# Connects again, with the current token.
func _reconnect():
	_queue.is_held = false
	_calls.lose()
	open()


func _disconnect_for_sign_in():
	_connection.close()
	_calls.lose()
	_set_status("connecting")


# The client does not connect again: with the status "ended" or "refused".
func _end(its_status, error, reason):
	_connection.close()
	status_error = error
	end_reason = reason
	_set_status(its_status)
	_queue.reject(_end_error())


# Why no call can be sent any more; null if one can.
func _end_error():
	if _is_closed:
		return _client_closed()
	if status == "refused":
		return status_error
	return GantryError.new().made("session_ended", "The session has ended; sign in again", 401) if status == "ended" else null


func _client_closed():
	return GantryError.new().made("client_closed", "The client was closed before the response arrived")


func _has_credentials():
	return launcher_jwt != null or game_secret != null


# State

func _set_status(now):
	if now == "connecting" and now == status:
		return
	status = now
	emit_signal("status_changed", now)
	_settle_ready_calls()


func _settle_ready_calls():
	if status == "connecting" or (status == "closed" and not _is_closed):
		return
	for waiting in _ready_calls:
		_calls.complete(waiting, _end_error())
	_ready_calls = []


func _update_ready_calls():
	var now = _platform.now_ms()
	for waiting in _ready_calls.duplicate():
		if status != "connecting" or waiting._attempt_deadline == 0:
			waiting._attempt_deadline = now + timeout_ms
		elif now > waiting._attempt_deadline:
			_ready_calls.erase(waiting)
			var message = "No connection to Gantry at %s after %s s; the client continues to try" % [url, timeout_ms / 1000.0]
			_calls.complete(waiting, GantryError.new().made("connection_lost", message))


func _load_state():
	_state.load_once()


func _loaded_cursors():
	var loaded = {}
	for stream in _cursors.positions:
		if not _loading.has(stream):
			loaded[stream] = _cursors.positions[stream]
	return loaded


func _save_now():
	_is_save_due = _is_handling
	if _is_handling:
		return
	_is_dirty = false
	_saved_at = _platform.now_ms()
	if _state.fault != null:
		return
	var text = _state.to_text()
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


func _row_record(row):
	return row


func _emit_event(_name, _record, _meta):
	pass


# The input of a generated method: `fields` maps each optional field to its name on the wire.
func _call_generated(operation, required, optional, fields, options):
	var input = required
	for name in optional:
		if not fields.has(name):
			var message = "%s has no optional field %s; it has: %s" % [operation, name, str(fields.keys())]
			return _calls.complete(GantryCall.new(), GantryError.new().made("input_invalid", message))
		if optional[name] != null:
			input[fields[name]] = optional[name]
	return call_operation(operation, input, options)
