# What the driver needs of Godot 3. Its scripts cannot read standard input: bridge.ts forwards it over TCP, to the port
# DRIVER_PORT.
extends SceneTree

# PROPERTY_USAGE_SCRIPT_VARIABLE
const SCRIPT_VARIABLE = 8192

var _peer = StreamPeerTCP.new()
var _received = PoolByteArray()


# OS.set_environment is not in every Godot 3.
class PlatformInLauncher:
	extends "res://addons/gantry/platform_godot3.gd"
	var token

	func launchers_token():
		return token


func _start():
	Engine.target_fps = 200
	_peer.connect_to_host("127.0.0.1", int(OS.get_environment("DRIVER_PORT")))


func _idle(_delta):
	if _peer.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		return
	if _peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		quit()
		return
	var waiting = _peer.get_available_bytes()
	if waiting > 0:
		_received.append_array(_peer.get_data(waiting)[1])
		_take_lines()


func _take_lines():
	var from = 0
	for at in range(_received.size()):
		if _received[at] == 10:
			_take_line(_received.subarray(from, at).get_string_from_utf8())
			from = at + 1
	_received = _received.subarray(from, _received.size() - 1) if from < _received.size() else PoolByteArray()


func _take_line(_line):
	pass


func _send_line(line):
	_peer.put_data((line + "\n").to_utf8())


func _listen(emitter, name, listener, method):
	emitter.connect(name, listener, method)
