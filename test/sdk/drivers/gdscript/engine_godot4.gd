# What the driver needs of Godot 4. Its scripts can read standard input only while they wait for it: bridge.ts forwards it
# over TCP, to the port DRIVER_PORT.
extends SceneTree

const SCRIPT_VARIABLE = PROPERTY_USAGE_SCRIPT_VARIABLE

var _peer = StreamPeerTCP.new()
var _received = PackedByteArray()


class PlatformInLauncher:
	extends "res://addons/gantry/platform_godot4.gd"
	var token

	func launchers_token():
		return token


func _start():
	Engine.max_fps = 200
	_peer.connect_to_host("127.0.0.1", int(OS.get_environment("DRIVER_PORT")))


func _process(_delta):
	_peer.poll()
	if _peer.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		return false
	if _peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		return true # quits
	var waiting = _peer.get_available_bytes()
	if waiting > 0:
		_received.append_array(_peer.get_data(waiting)[1])
		_take_lines()
	return false


func _take_lines():
	var from = 0
	for at in range(_received.size()):
		if _received[at] == 10:
			_take_line(_received.slice(from, at).get_string_from_utf8())
			from = at + 1
	_received = _received.slice(from)


func _take_line(_line):
	pass


func _send_line(line):
	_peer.put_data((line + "\n").to_utf8_buffer())


func _listen(emitter, name, listener, method):
	emitter.connect(name, Callable(listener, method))
