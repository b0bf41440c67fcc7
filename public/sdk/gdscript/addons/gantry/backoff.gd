# The delays between tries of signing in and of renewing: what the server asks for, otherwise doubling.
extends Resource

const FIRST_MS = 1000
const MAX_MS = 30000

var _next_ms = FIRST_MS


func reset():
	_next_ms = FIRST_MS


# Whether the same call may succeed later: the server was busy, or did not answer.
func is_temporary(error):
	return error.code == 429 or error.code >= 500 or error.reason == "connection_lost"


func next_ms(error):
	var pause_ms = int(_next_ms * (1.0 - randf() / 2.0)) # not all clients at the same moment
	_next_ms = min(_next_ms * 2, MAX_MS)
	return pause_ms if error.retry_after == null else int(error.retry_after * 1000)
