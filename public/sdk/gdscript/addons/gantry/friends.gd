# The player's friends as they change, from `friends` of the client: connect `changed`, then call `follow`. It is a child of
# the client.
extends Node

# `list` has "friends" (favorites first, then those who are online, then by name; records of records.gd, Friend, each with
# `presence`, a FriendPresence), and the requests, latest first: "received" from others and "sent" by the player. Emitted
# first with those at the start, and then whenever something has changed.
signal changed(list)

var _client


# Starts to follow. Succeeds when `changed` was emitted for the first time.
func follow():
	stop()
	return _client._friend_list.add(self)


# Stops following; nothing is emitted any more.
func stop():
	_client._friend_list.remove(self)


func _show(list):
	emit_signal("changed", list)


func _exit_tree():
	stop()
