# A leaderboard as it changes, from `leaderboard` of the client: connect `changed`, then call `follow`. It is a child of the
# client.
extends Node

# The first rows, best first: records with position, username, score and more. Emitted first with those at the start, and
# then whenever they have changed.
signal changed(rows)

var _client
var _board_name
var _limit = 10
var _shown = null


# Starts to follow the first rows, at most 50. Succeeds when `changed` was emitted for the first time.
func follow(limit = 10):
	stop()
	_limit = limit
	return _client._leaderboard_rows(_board_name).add(self)


# Stops following; nothing is emitted any more.
func stop():
	_shown = null
	_client._leaderboard_rows(_board_name).remove(self)


func _show(rows):
	var first = []
	var records = []
	for row in rows:
		if first.size() < _limit:
			first.append(row)
			records.append(_client._row_record(row))
	var text = _client._json.write(first)
	if text != _shown:
		_shown = text
		emit_signal("changed", records)


func _exit_tree():
	stop()
