# An operation was refused or failed. Compare `reason` with the constants of reasons.gd; `message` is for people.
extends Resource

# The server's `data.reason`, or one of the client's own: `connection_lost` (no answer came; whether the operation was
# carried out is not known), `client_closed`, `queue_full`, `queue_expired` (a queued call may have been carried out, too
# long ago to send it again), `input_invalid` (the SDK knows no such field), and `unknown` (something between client and
# server answered in the server's place).
var reason = "unknown"
# The HTTP status; 0 without an answer.
var code = 0
var message = ""
# When to try again at the earliest, in seconds, where the server has said so; null otherwise.
var retry_after = null
# What the server says beside the reason; of a `version_conflict` the `version` there is.
var data = {}
# The invalid fields, each with `path` and `message`.
var fields = []


# Nothing was carried out, and it passes.
func is_passing():
	return code == 429 or code == 503


# The token is none any more: the player has to sign in again.
func is_signed_out():
	return reason in ["token_missing", "token_invalid", "token_expired", "session_ended", "guest_upgraded"]


# From the body of a failed call.
func read(body):
	var its_data = body.get("data")
	if its_data is Dictionary:
		data = its_data
	reason = str(data.get("reason", "unknown"))
	message = str(body.get("message", "The server gave no reason"))
	if body.get("code") is int:
		code = body["code"]
	retry_after = data.get("retryAfterSeconds")
	if body.get("errors") is Array:
		fields = body["errors"]
	return self


func made(its_reason, its_message, its_code = 0):
	reason = its_reason
	message = its_message
	code = its_code
	return self
