# The subset of Socket.IO 5 over Engine.IO 4 over WebSockets that PROTOCOL.md requires: opens, responds to pings, detects
# timeouts, reconnects with increasing delays. Calls _on_… methods of `_owner` (gantry_core.gd).
extends Resource

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5000
# The timeout for opening a WebSocket, its first frame and the handshake.
const OPENING_MS = 20000

# The server has accepted the handshake.
var is_accepted = false

# A weak reference: the owner holds this object.
var _owner
var _platform
var _json
var _socket = null
var _is_wanted = false
var _failures = 0
var _open_at = 0
var _silent_until = 0
var _patience_ms = OPENING_MS
var _next_id = 0
var _max_payload = 0


# Connects now, dropping the current connection.
func open():
	drop()
	_is_wanted = true
	_failures = 0
	_open_at = _platform.now_ms()


func close():
	_is_wanted = false
	drop()


# Resets the reconnect delay to the shortest.
func succeeded():
	_failures = 0


# Drops the connection and its remaining messages, and reconnects immediately.
func reopen():
	drop()
	_open_at = _platform.now_ms()


# Sends a call. Returns the number of its response; -1 if it is larger than the server accepts, which would close the
# connection.
func send_call(operation, data):
	var id = _next_id
	_next_id += 1
	var frame = "42" + str(id) + _json.write([operation, "launcher", data, {}])
	if _platform.byte_count(frame) > _max_payload:
		return -1
	_socket.send(frame)
	return id


func update():
	var now = _platform.now_ms()
	if _is_wanted and _socket == null and now >= _open_at:
		_patience_ms = OPENING_MS
		_silent_until = now + OPENING_MS
		_socket = _platform.new_socket()
		_socket.open(_owner._socket_url())
	var socket = _socket
	if socket == null:
		return
	socket.poll()
	while socket == _socket:
		var message = socket.next()
		if message == null:
			break
		_silent_until = now + _patience_ms
		if message["kind"] == "closed":
			_lose()
		elif message["kind"] == "text":
			_receive(message["text"])
	if _socket != null and now > _silent_until:
		_lose()


func drop():
	is_accepted = false
	if _socket != null:
		_socket.close()
	_socket = null


func _receive(frame):
	if frame.begins_with("0"):
		_greet(_json.parse(frame.substr(1, frame.length() - 1)))
	elif frame == "2":
		_socket.send("3")
	elif frame.begins_with("4") and frame.length() > 1:
		_receive_packet(frame)


func _greet(open_packet):
	if not open_packet is Dictionary:
		_lose()
		return
	_patience_ms = open_packet["pingInterval"] + open_packet["pingTimeout"]
	_max_payload = open_packet["maxPayload"]
	_socket.send("40" + _json.write(_owner._handshake()))


func _receive_packet(frame):
	var type = frame.substr(1, 1)
	if type == "0":
		is_accepted = true
		_owner._on_accepted()
		return
	if type == "1":
		close()
		_owner._on_ended()
		return
	var from = 2
	while from < frame.length() and "0123456789".find(frame.substr(from, 1)) >= 0:
		from += 1
	var body = _json.parse(frame.substr(from, frame.length() - from))
	if body == null:
		_lose() # not what this protocol sends: something between has cut or changed it
	elif type == "2":
		_owner._on_event(body[0], _at(body, 1), _at(body, 2))
	elif type == "3":
		_owner._on_answer(frame.substr(2, from - 2).to_int(), body[0], _at(body, 1))
	elif type == "4":
		_refuse(body)


func _refuse(body):
	drop()
	var error_body = body.get("data")
	var again_ms = _owner._on_refused(error_body if error_body is Dictionary else body)
	if not _is_wanted or _socket != null:
		return # a callback has already closed or reopened it
	if again_ms == null:
		_is_wanted = false
	else:
		_open_at = _platform.now_ms() + again_ms


func _lose():
	drop()
	var pause = MAX_PAUSE_MS
	if _failures < 5:
		pause = min(FIRST_PAUSE_MS * pow(2, _failures), MAX_PAUSE_MS)
	_failures += 1
	_open_at = _platform.now_ms() + int(pause * (0.5 + randf()))
	_owner._on_lost()


func _at(items, index):
	if index < items.size() and items[index] is Dictionary:
		return items[index]
	return {}
