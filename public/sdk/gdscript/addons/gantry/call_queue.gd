# The offline queue: writes that are sent one after another, each until there is a response.
extends Resource

const GantryCall = preload("gantry_call.gd")
const GantryError = preload("gantry_error.gd")
const NEVER_MS = 9000000000000000
# The server keeps idempotency keys for 24 hours; an hour less for clock skew.
const KEY_LIVES_MS = 82800000

# First to last: { "operation", "input", "idempotencyKey", "queuedAt" (Unix ms), "isSent", "sentAt" (Unix ms) }.
var items = []
# The token is no longer accepted: nothing is sent until there is another.
var is_held = false

# A weak reference: the client holds this object.
var _client
var _platform
# By idempotency key.
var _calls = {}


func load_saved(saved):
	items = []
	if saved is Array:
		items = saved.duplicate()


func add(call):
	if _client._repeat(call._operation) != "with-key":
		var message = call._operation + " cannot be queued: it is no write that takes an idempotency key"
		return _client._calls.complete(call, GantryError.new().made("input_invalid", message))
	if items.size() >= _client.max_queued:
		var message = "The offline queue is full (%d calls)" % _client.max_queued
		return _client._calls.complete(call, GantryError.new().made("queue_full", message))
	if not call._input.has("idempotencyKey"):
		call._input["idempotencyKey"] = _platform.random_id()
	call._input = call._input.duplicate(true) # the game may change its objects before they are sent
	var key = call._input["idempotencyKey"]
	var input = call._input.duplicate()
	input.erase("idempotencyKey")
	call._queued = {"operation": call._operation, "input": input, "idempotencyKey": key, "queuedAt": _platform.unix_ms()}
	items.append(call._queued)
	_calls[key] = call
	_client._save_now()
	var end = _client._end_error()
	if end != null:
		reject(end)
	return call


func update():
	if items.size() == 0 or is_held or _client._end_error() != null or not _client._has_credentials():
		return
	for call in _client._calls._pending:
		if call._queued != null:
			return
	var first = items[0]
	var next = _calls.get(first["idempotencyKey"])
	if next == null:
		next = GantryCall.new() # of an earlier run of the game, or one that was rejected
		next._operation = first["operation"]
		next._input = first["input"].duplicate()
		next._input["idempotencyKey"] = first["idempotencyKey"]
		next._queued = first
		_calls[first["idempotencyKey"]] = next
	if first.get("isSent", false) and _platform.unix_ms() - first.get("sentAt", first["queuedAt"]) > KEY_LIVES_MS:
		var message = first["operation"] + " was sent too long ago to be retried; it may have been executed"
		remove(next)
		_client._calls.complete(next, GantryError.new().made("queue_expired", message))
		return
	next._over = _client.call_over
	next._timeout_ms = _client.timeout_ms
	next._is_repeatable = true
	next._not_before = 0
	_client._calls.send(next)
	next._attempt_deadline = NEVER_MS # until it is sent


# Before a call is sent, because after a crash it may have been executed.
func sent(call):
	call._was_sent = call._queued.get("isSent", false)
	if not call._was_sent:
		call._queued["isSent"] = true
		call._queued["sentAt"] = _platform.unix_ms()
		_client._save_now()


# The server has refused the latest attempt.
func not_executed(call):
	if not call._was_sent:
		call._queued.erase("isSent")
		call._queued.erase("sentAt")
		_client._save_now()


# The call is settled.
func remove(call):
	items.erase(call._queued)
	_calls.erase(call._queued["idempotencyKey"])
	_client._save_now()


# The waiting calls fail, but stay in the queue for the player's next session.
func reject(error):
	for key in _calls.keys():
		var call = _calls[key]
		_client._calls.drop(call)
		call._queued = null
		_client._calls.complete(call, error)
	_calls = {}
