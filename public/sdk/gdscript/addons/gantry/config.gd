# The game's config as it changes, from `config` of the client: ask for a `value`, or connect `changed` and call `follow`. It
# is read when the program first uses it; while there is no connection, the last values stay. It is a child of the client.
extends Node

# All values by key. Emitted first with those at the start, and then after every change.
signal changed(values)

var _client


# A key's value; the default while it has none, or was not read yet.
func value(key, otherwise = null):
	return _client._config_values.values().get(key, otherwise)


# All values by key; empty until they were read.
func values():
	return _client._config_values.values()


# The version of the values; 0: not read yet, or nothing was ever set.
func version():
	return _client._config_values.version()


# Succeeds when the config was read.
func load_values():
	return _client._config_values.load_values()


# Starts to follow. Succeeds when `changed` was emitted for the first time.
func follow():
	stop()
	return _client._config_values.load_values(self)


# Stops following; nothing is emitted any more.
func stop():
	_client._config_values.followers.erase(self)


func _show(values):
	emit_signal("changed", values)


func _exit_tree():
	stop()
