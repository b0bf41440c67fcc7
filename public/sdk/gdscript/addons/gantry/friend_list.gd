# The player's friends and their presence, shared by those who follow them: read when they are stale, and changed by what the
# server sends in between.
extends Resource

const GantryCall = preload("gantry_call.gd")
const PAGE_ROWS = 250
const OFFLINE = "offline"
const CHANGES = ["friends created", "friends patched", "friends removed"]
const PRESENCE_CHANGES = ["friend-presence patched"]
# Sorts later times first.
const MAX_TIME = 999999999999999


# A weak reference: the client holds this object.
var _client
var _followers = []
# By wallet, as Dictionaries.
var _rows = {}
var _presence = {}
var _is_list_stale = true
var _is_presence_stale = true
# The names of the changes of what is being read now, and those that have arrived since.
var _reading = []
var _changes = []
var _read_rows = {}
# The calls of `follow` that wait for the first load.
var _waiting = []


# Returns a call that succeeds when the follower was shown the list.
func add(follower):
	_followers.append(follower)
	var call = GantryCall.new()
	if _reading == [] and not _is_stale():
		follower._show(_merged())
		return _client._calls.complete(call)
	_waiting.append({"call": call, "follower": follower})
	_load()
	return call


func remove(follower):
	if not _followers.has(follower):
		return
	_followers.erase(follower)
	if _followers.size() == 0:
		_is_list_stale = true
		_is_presence_stale = true
		if _reading == []:
			_unfollow()


func received(name, record):
	if _followers.size() == 0 or not (name in CHANGES or name in PRESENCE_CHANGES):
		return
	if name in _reading:
		_changes.append([name, record])
		return
	_apply(name, record)
	_refresh()


# The history of the player's stream is not available.
func missed(stream):
	if stream.begins_with("account:"):
		_is_list_stale = true
		_load()


# Presence is followed by a connection, and its changes are not replayed.
func connected():
	_is_presence_stale = true
	_load()


func _is_stale():
	return _is_list_stale or _is_presence_stale


func _apply(name, record):
	if name in PRESENCE_CHANGES:
		for friend in record["friends"]:
			_presence[friend["wallet"]] = friend
		_expect(record["friends"])
		return
	var wallet = record["wallet"]
	if name == "friends removed":
		_rows.erase(wallet)
		_presence.erase(wallet)
	elif not _rows.has(wallet):
		_is_list_stale = true # the event does not have the name
	else:
		_rows[wallet] = _rows[wallet].duplicate()
		for field in record:
			if field != "normalizedAddress":
				_rows[wallet][field] = record[field]


# A friend who is online and not in the list has come into the game whose friends this session sees.
func _expect(friends):
	for friend in friends:
		if friend["status"] != OFFLINE and not _rows.has(friend["wallet"]):
			_is_list_stale = true


func _refresh():
	if _is_stale():
		_load()
	elif _reading == []:
		var list = _merged()
		for follower in _followers.duplicate():
			follower._show(list)


func _load():
	if _followers.size() == 0 or _reading != []:
		return
	_changes = []
	if _is_list_stale:
		_is_list_stale = false
		_reading = CHANGES
		_read_rows = {}
		_read_page("")
	elif _is_presence_stale:
		_is_presence_stale = false
		_reading = PRESENCE_CHANGES
		_ask("followPresence", {}, "_followed")


func _read_page(cursor):
	_ask("listFriends", {"limit": PAGE_ROWS, "cursor": cursor}, "_page_read")


func _ask(operation, input, method):
	_client._calls.ask(operation, input, {"retries": _client.retries}, self, method)


func _page_read(call):
	if not call.ok:
		_is_list_stale = true
		_failed(call.error)
		return
	for row in call.json["friends"]:
		_read_rows[row["wallet"]] = row
	if call.json["more"]:
		_read_page(call.json["nextCursor"])
		return
	_rows = _read_rows
	_loaded()


func _followed(call):
	if not call.ok:
		_is_presence_stale = true
		_failed(call.error)
		return
	_presence = {}
	for friend in call.json["friends"]:
		_presence[friend["wallet"]] = friend
	_expect(call.json["friends"])
	_loaded()


func _loaded():
	_reading = []
	for change in _changes:
		_apply(change[0], change[1])
	if _followers.size() == 0:
		_unfollow()
		return
	_refresh()
	if _reading != []:
		return
	for waiting in _waiting:
		_client._calls.complete(waiting["call"])
	_waiting = []


# What is stale is read after the next change or reconnect.
func _failed(error):
	_reading = []
	for waiting in _waiting:
		remove(waiting["follower"])
		_client._calls.complete(waiting["call"], error)
	_waiting = []


func _unfollow():
	if _client.status == "live":
		_client._calls.ask("unfollowPresence", {}, {}, self, "_unfollowed")


func _unfollowed(_call):
	pass


func _merged():
	var records = _client.Records
	var keys = {}
	var requests = {"received": {}, "sent": {}}
	for wallet in _rows:
		var row = _rows[wallet]
		if row["state"] != "friend":
			requests[row["state"]]["%015d %s" % [MAX_TIME - row["changedAt"], wallet]] = records.Friend.new().read(row)
			continue
		var friend = records.FollowedFriend.new()
		friend.read(row)
		var unknown = {"wallet": wallet, "status": OFFLINE, "joinable": false}
		friend.presence = records.FriendPresence.new().read(_presence.get(wallet, unknown))
		var place = [int(not friend.favorite), int(friend.presence.status == OFFLINE), friend.username.to_lower(), wallet]
		keys["%d%d%s\n%s" % place] = friend
	return {"friends": _in_order(keys), "received": _in_order(requests["received"]), "sent": _in_order(requests["sent"])}


# The values in the order of their keys.
func _in_order(values):
	var keys = values.keys()
	keys.sort()
	var ordered = []
	for key in keys:
		ordered.append(values[key])
	return ordered
