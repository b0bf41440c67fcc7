# The differences between the versions of Godot: sockets, HTTP, JSON, clocks, files. This is for Godot 4.
extends Resource

# Larger than the server's largest frame.
const SOCKET_BUFFER_BYTES = 4194304
# It writes at most 32 digits after the point.
const MIN_FRACTION = 0.000000000000001


class Socket:
	extends Resource
	var _peer = WebSocketPeer.new()
	var _messages = []
	var _is_open = false
	var _is_over = false

	func open(url):
		_peer.inbound_buffer_size = SOCKET_BUFFER_BYTES
		_peer.outbound_buffer_size = SOCKET_BUFFER_BYTES
		_peer.max_queued_packets = 4096
		if _peer.connect_to_url(url) != OK:
			_over()

	func poll():
		if _is_over:
			return
		_peer.poll()
		var state = _peer.get_ready_state()
		if state == WebSocketPeer.STATE_OPEN and not _is_open:
			_is_open = true
			_messages.append({"kind": "opened"})
		while _peer.get_available_packet_count() > 0:
			_messages.append({"kind": "text", "text": _peer.get_packet().get_string_from_utf8()})
		if state == WebSocketPeer.STATE_CLOSED:
			_over()

	# The next { "kind": "opened", "text" or "closed", "text" }; null if there is none.
	func next():
		return _messages.pop_front()

	func send(text):
		if _is_open and not _is_over:
			_peer.send_text(text)

	func close():
		_is_over = true
		_messages = []
		_peer.close()
		_peer.poll() # sends the close frame

	func _over():
		_is_over = true
		_messages.append({"kind": "closed"})


class Http:
	extends Resource
	# is_done: there is a response, or the request failed and status is 0. retry_after: that header in seconds, or null.
	var is_done = false
	var status = 0
	var body = ""
	var retry_after = null
	var _request = HTTPRequest.new()

	func start(parent, url, headers, text):
		parent.add_child(_request)
		_request.request_completed.connect(_on_completed)
		if _request.request(url, headers, HTTPClient.METHOD_POST, text) != OK:
			is_done = true

	func abort():
		if _request != null:
			_request.cancel_request()
			_request.queue_free()
			_request = null

	func _on_completed(result, its_status, headers, bytes):
		status = its_status if result == HTTPRequest.RESULT_SUCCESS else 0
		body = bytes.get_string_from_utf8()
		for header in headers:
			if header.to_lower().begins_with("retry-after:"):
				retry_after = header.substr(12, header.length() - 12).to_int()
		is_done = true


func new_socket():
	return Socket.new()


# Starts a POST; headers are "Name: value". Poll the returned object.
func post(parent, url, headers, text):
	var http = Http.new()
	http.start(parent, url, headers, text)
	return http


# Null when the text is not JSON.
func parse_json(text):
	var parser = JSON.new()
	return parser.data if parser.parse(text) == OK else null


# A number that is not whole, and at least MIN_FRACTION, with all its digits.
func write_number(value):
	return JSON.stringify(value, "", true, true)


# For a query.
func uri_encoded(text):
	return text.uri_encode()


# In UTF-8.
func byte_count(text):
	return text.to_utf8_buffer().size()


func now_ms():
	return Time.get_ticks_msec()


func unix_ms():
	return int(Time.get_unix_time_from_system() * 1000.0)


# 128 random bits in hexadecimal.
func random_id():
	return Crypto.new().generate_random_bytes(16).hex_encode()


# The token of the launcher that has opened the game: of the page's address in a browser, elsewhere of the environment; an
# empty text if there is none.
func launchers_token():
	if not OS.has_feature("web"):
		return OS.get_environment("GANTRY_TOKEN")
	var read = "decodeURIComponent((/[#?&]token=([^&#]*)/.exec(location.hash + '&' + location.search) || [])[1] || '')"
	return JavaScriptBridge.eval(read)


# Null when there is no such file.
func load_text(path):
	if not FileAccess.file_exists(path):
		return null
	return FileAccess.get_file_as_string(path)


# Written to a temporary file and renamed, so that a crash leaves the old or the new content.
func save_text(path, text):
	var file = FileAccess.open(path + ".new", FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	file.store_string(text)
	file.close()
	return DirAccess.rename_absolute(path + ".new", path)
