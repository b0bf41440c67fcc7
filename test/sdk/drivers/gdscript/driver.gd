# The GDScript SDK's driver, by test/sdk/driver-protocol.md. engine.gd is engine_godot3.gd or engine_godot4.gd.
extends "res://engine.gd"

const GantryClient = preload("res://addons/gantry/gantry_client.gd")
const GantryJson = preload("res://addons/gantry/gantry_json.gd")

var _json = GantryJson.new()
var _clients = {}
var _saved = {}
var _requests = {}
var _watchers = []
var _boards = {}
var _renew_tokens = {}
# The parameters of each generated method, because Godot 3 does not expose their names.
var _parameters = {}


class Watcher:
	extends Resource
	var driver
	var id
	var client
	var kind

	func done(answer):
		driver._done(self, answer)

	func status(now):
		driver._report_status(client, now)

	func resync(stream):
		driver._report({"client": client, "resync": stream})

	func queued(call):
		driver._report({"client": client, "queued": call._operation, "reason": null if call.ok else call.error.reason})

	func saved(state):
		driver._saved[client] = state

	func renew_token(request):
		var tokens = driver._renew_tokens[client]
		request.give(tokens.pop_front() if tokens.size() > 0 else "")

	func rows_changed(rows):
		driver._report({"client": client, "follow": id, "rows": driver._through_properties(rows)})

	func config_changed(values):
		driver._report({"client": client, "follow": id, "config": values})

	func friends_changed(list):
		var friends = []
		for friend in list["friends"]:
			var merged = driver._through_properties(friend)
			var presence = driver._through_properties(friend.presence)
			for field in presence:
				merged[field] = presence[field]
			friends.append(merged)
		var shown = {"friends": friends}
		for kind in ["received", "sent"]:
			shown[kind] = driver._through_properties(list[kind])
		driver._report({"client": client, "follow": id, "list": shown})

	func sign(text, request):
		driver._requests[id] = request
		driver._report({"sign": text, "for": id})


# One instance per event, since a signal does not carry its name.
class EventWatcher:
	extends Resource
	var driver
	var client
	var event

	func received(record, meta):
		driver._report({"client": client, "event": event, "record": driver._through_properties(record), "meta": meta})


func _init():
	_json._platform = PlatformInLauncher.new()
	for line in load("res://addons/gantry/gantry_client.gd").source_code.split("\n"):
		if line.begins_with("func "):
			var parts = line.substr(5, line.find(")") - 5).split("(")
			_parameters[parts[0]] = parts[1].replace(" = {}", "").split(", ", false)
	_start()


func _take_line(line):
	_do(_json.parse(line))


func _do(command):
	var name = command.get("client")
	var options = command.get("options", {})
	match command["do"]:
		"open":
			_open(name, options).open()
			_ok(command, null)
		"connect":
			_connect(command, options)
		"player":
			_ok(command, _through_properties(_clients[name].player))
		"ready":
			_watch(command, _clients[name].wait_until_ready())
		"call":
			_watch(command, _call(name, command, _call_options(options)))
		"queue":
			_watch(command, _call(name, command, {"queued": true}))
			for value in command["input"].values():
				if value is Dictionary:
					value.clear()
		"queueWithoutJson":
			_ok(command, "unsupported")
		"subscribe":
			_watch(command, _clients[name].subscribe({"game_id": command.get("gameId")}))
		"unsubscribe":
			_watch(command, _clients[name].unsubscribe({"game_id": command.get("gameId")}))
		"follow":
			_follow(command)
		"followFriends":
			var friends = _clients[name].friends()
			_boards[command["id"]] = friends
			_listen(friends, "changed", _watcher(command, name), "friends_changed")
			_watch(command, friends.follow())
		"config":
			var config = _clients[name].config()
			_ok(command, {"version": config.version(), "values": config.values()})
		"followConfig":
			var config = _clients[name].config()
			_boards[command["id"]] = config
			_listen(config, "changed", _watcher(command, name), "config_changed")
			_watch(command, config.follow())
		"unfollow":
			_boards[command["follow"]].stop()
			_ok(command, null)
		"on":
			_ok(command, "unsupported")
		"cursors":
			_ok(command, _clients[name].cursors())
		"saved":
			_ok(command, _json.parse(_saved[name]) if _saved.has(name) else null)
		"signInAsGuest":
			_sign_in(command, options, "guest")
		"signInWithWallet":
			_sign_in(command, options, "wallet")
		"connectWithWallet":
			var watcher = _watcher(command, name, "ready")
			_listen(_open(name, options).sign_in_with_wallet(options["game"], options["wallet"], watcher), "completed", watcher, "done")
		"signature":
			_requests[command["for"]].sign(command["signature"])
			_ok(command, null)
		"close":
			_clients[name].close()
			_ok(command, null)


func _new_client(options):
	var client = GantryClient.new()
	client.url = options["url"]
	client.launcher_jwt = options.get("launcherJwt")
	client.game_secret = options.get("gameSecret")
	if options.get("saved") != null:
		client.saved_state = _json.write(options["saved"])
	client.save_path = options.get("stateFile", "")
	client.game_version = options.get("gameVersion")
	client.config_label = options.get("label")
	client.route_by_player = options.get("routeByPlayer", false)
	client.player_status = options.get("status")
	client.call_over = options.get("callOver", "socket")
	client.timeout_ms = options.get("timeoutMs", client.timeout_ms)
	client.retries = options.get("retries", client.retries)
	get_root().add_child(client)
	return client


func _open(name, options):
	var client = _new_client(options)
	_clients[name] = client
	var watcher = _watcher({"id": 0}, name)
	_listen(client, "status_changed", watcher, "status")
	_listen(client, "resync", watcher, "resync")
	_listen(client, "state_changed", watcher, "saved")
	_listen(client, "queued_call_ended", watcher, "queued")
	for event in client.EVENTS:
		var watcher_of_event = EventWatcher.new()
		watcher_of_event.driver = self
		watcher_of_event.client = name
		watcher_of_event.event = event
		_watchers.append(watcher_of_event)
		_listen(client, client.EVENTS[event], watcher_of_event, "received")
	if options.has("renewTokens"):
		_renew_tokens[name] = options["renewTokens"]
		client.renewer = watcher
	return client


func _connect(command, options):
	var client = _open(command["client"], options)
	var start = {}
	var fields = ["game", "username", "deviceName", "deviceSecret", "launcherJwt"]
	for field in fields:
		if options.has(field):
			start[_snake(field)] = options[field]
	if options.has("signInTimeoutMs"):
		start["timeout_ms"] = options["signInTimeoutMs"]
	client.launcher_jwt = null
	if options.has("ambientToken"):
		client._sign_in._platform = PlatformInLauncher.new()
		client._sign_in._platform.token = options["ambientToken"]
	_watch(command, client.start(start))


func _follow(command):
	var client = _clients[command["client"]]
	var board = client.leaderboard(command["leaderboard"]) if command.has("leaderboard") else client.leaderboard()
	_boards[command["id"]] = board
	_listen(board, "changed", _watcher(command, command["client"]), "rows_changed")
	_watch(command, board.follow(command["limit"]) if command.has("limit") else board.follow())


func _sign_in(command, options, kind):
	var client = _new_client(options)
	var watcher = _watcher(command, client, kind)
	if kind == "guest":
		var call = client.sign_in_as_guest(options["gameId"], options.get("deviceSecret"), options.get("deviceName"), options.get("username"))
		_listen(call, "completed", watcher, "done")
	else:
		var call = client.sign_in_with_wallet(options["gameId"], options["wallet"], watcher)
		_listen(call, "completed", watcher, "done")


func _watcher(command, client, kind = ""):
	var watcher = Watcher.new()
	watcher.driver = self
	watcher.id = command["id"]
	watcher.client = client
	watcher.kind = kind
	_watchers.append(watcher)
	return watcher


func _watch(command, call):
	_listen(call, "completed", _watcher(command, command["client"], command["do"]), "done")


func _done(watcher, answer):
	_watchers.erase(watcher)
	if not answer.ok:
		var data = answer.error.data
		_report({"id": watcher.id, "error": {
			"reason": answer.error.reason, "code": answer.error.code, "message": answer.error.message,
			"retryAfterSeconds": answer.error.retry_after, "data": data, "errors": answer.error.fields}})
	elif watcher.kind == "ready" or watcher.kind == "follow" or watcher.kind in ["followFriends", "followConfig"]:
		_report({"id": watcher.id, "ok": null})
	elif watcher.kind == "guest" or watcher.kind == "wallet":
		var signed_in = {"launcherJwt": watcher.client.launcher_jwt}
		if watcher.kind == "guest":
			signed_in["wallet"] = answer.data.wallet
			signed_in["deviceSecret"] = answer.device_secret
		watcher.client.queue_free()
		_report({"id": watcher.id, "ok": signed_in})
	else:
		_report({"id": watcher.id, "ok": _through_properties(answer.data)})


func _call_options(options):
	var given = {}
	for name in ["idempotencyKey", "launcherJwt", "wallet"]:
		if options.has(name):
			given[_snake(name)] = options[name]
	return given


# Calls the generated method: required fields in order, then the optional ones.
func _call(name, command, options):
	var method = _snake(command["operation"])
	var optional = {}
	var input = command.get("input", {})
	for field in input:
		optional[_snake(field)] = input[field]
	var arguments = []
	var takes_optional = false
	for parameter in _parameters[method]:
		if parameter == "optional":
			takes_optional = true
		elif parameter != "options":
			arguments.append(optional.get(parameter))
			optional.erase(parameter)
	if takes_optional:
		arguments.append(optional)
	arguments.append(options)
	return _clients[name].callv(method, arguments)


# The record read through its properties, with unknown fields unchanged.
func _through_properties(value):
	if value is Array:
		var items = []
		for item in value:
			items.append(_through_properties(item))
		return items
	if not value is Object:
		return value
	var names = {}
	for property in value.get_property_list():
		if property["usage"] & SCRIPT_VARIABLE:
			names[property["name"]] = true
	var copy = {}
	for field in value.json:
		copy[field] = value.json[field]
		if names.has(_snake(field)):
			copy[field] = _through_properties(value.get(_snake(field)))
	return copy


func _snake(name):
	var text = ""
	for at in range(name.length()):
		var one = name.substr(at, 1)
		if one == "_":
			continue
		text += "_" + one.to_lower() if one != one.to_lower() else one
	return text


func _report_status(client, now):
	if now == "closed":
		return
	var report = {"client": client, "status": now}
	if now == "refused":
		report["reason"] = _clients[client].status_error.reason
		report["update"] = _clients[client].status_error.update
	elif now == "live" and _clients[client].warning != null:
		report["warning"] = _clients[client].warning
	elif now == "ended":
		report["endReason"] = _clients[client].end_reason
	_report(report)


func _ok(command, value):
	_report({"id": command["id"], "ok": value})


func _report(report):
	_send_line(_json.write(report))
