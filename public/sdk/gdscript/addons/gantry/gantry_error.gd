# An operation was refused or failed. Compare `reason` with the constants of reasons.gd; `message` is for people.
extends Resource

# The server's `data.reason`, or one that the client raises itself: `connection_lost` (there was no response; the operation
# may or may not have been executed), `client_closed`, `queue_full`, `queue_expired` (a queued call may have been executed,
# too long ago to retry it), `input_invalid` (the field is unknown to the SDK), and `unknown` (a proxy responded instead of
# the server).
var reason = "unknown"
# The HTTP status; 0 without a response.
var code = 0
var message = ""
# The delay before a retry, in seconds; null if the server specifies none.
var retry_after = null
# Details besides the reason, such as the current `version` with `version_conflict`.
var data = {}
# With `update_required`: the `version` to install, its `url`, and a `message`; null otherwise.
var update = null
# With `access_denied`: the tokens that the player needs.
var missing = []
# The invalid fields, each with `path` and `message`.
var fields = []


# Whether nothing was executed and the cause is temporary.
func is_passing():
	return code == 429 or code == 503


# Whether the token is no longer valid: the player has to sign in again.
func is_signed_out():
	return reason in ["token_missing", "token_invalid", "token_expired", "session_ended", "guest_upgraded"]


# Whether a token was refused because it has expired, and not because its session was ended for a reason.
func is_expiry():
	return reason == "token_expired" or (reason == "session_ended" and data.get("endReason", "expired") == "expired")


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
	update = data.get("update")
	missing = data.get("missing", [])
	if body.get("errors") is Array:
		fields = body["errors"]
	return self


func made(its_reason, its_message, its_code = 0):
	reason = its_reason
	message = its_message
	code = its_code
	return self
