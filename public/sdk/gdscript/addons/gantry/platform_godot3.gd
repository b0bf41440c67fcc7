# The differences between the versions of Godot: sockets, HTTP, JSON, clocks, files. This is for Godot 3 (3.2 and later).
extends Resource

# Larger than the server's largest frame.
const SOCKET_BUFFER_KB = 4096
const MIN_FRACTION = 0.1


class Socket:
	extends Resource
	var _client = WebSocketClient.new()
	var _messages = []
	var _is_open = false
	var _is_over = false

	func open(url):
		_client.set_buffers(SOCKET_BUFFER_KB, 4096, SOCKET_BUFFER_KB, 4096)
		_client.connect("connection_established", self, "_on_established")
		_client.connect("connection_error", self, "_on_closed")
		_client.connect("connection_closed", self, "_on_closed")
		_client.connect("data_received", self, "_on_data")
		if _client.connect_to_url(url) != OK:
			_on_closed()

	func poll():
		if not _is_over:
			_client.poll()

	# The next { "kind": "opened", "text" or "closed", "text" }; null if there is none.
	func next():
		return _messages.pop_front()

	func send(text):
		if _is_open and not _is_over:
			_client.get_peer(1).put_packet(text.to_utf8())

	func close():
		_is_over = true
		_messages = []
		if _is_open:
			_client.disconnect_from_host()
			_client.poll()

	func _on_established(_protocol = ""):
		_is_open = true
		_client.get_peer(1).set_write_mode(WebSocketPeer.WRITE_MODE_TEXT)
		_messages.append({"kind": "opened"})

	func _on_data():
		var peer = _client.get_peer(1)
		while peer.get_available_packet_count() > 0:
			_messages.append({"kind": "text", "text": peer.get_packet().get_string_from_utf8()})

	func _on_closed(_was_clean = false):
		if not _is_over:
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
		_request.connect("request_completed", self, "_on_completed")
		if _request.request(url, headers, true, HTTPClient.METHOD_POST, text) != OK:
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
	var parsed = JSON.parse(text)
	return parsed.result if parsed.error == OK else null


# A number that is not whole, and at least MIN_FRACTION. Godot 3 writes 15 digits after the point, where a double may have
# two more.
func write_number(value):
	return ("%.15f" % value).rstrip("0")


# For a query.
func uri_encoded(text):
	return text.http_escape()


# In UTF-8.
func byte_count(text):
	return text.to_utf8().size()


func now_ms():
	return OS.get_ticks_msec()


func unix_ms():
	return OS.get_system_time_msecs()


# 128 random bits in hexadecimal.
func random_id():
	return Crypto.new().generate_random_bytes(16).hex_encode()


# The token of the launcher that has opened the game: of the page's address in a browser, elsewhere of the environment; an
# empty text if there is none.
func launchers_token():
	if not OS.has_feature("JavaScript"):
		return OS.get_environment("GANTRY_TOKEN")
	var read = "decodeURIComponent((/[#?&]token=([^&#]*)/.exec(location.hash + '&' + location.search) || [])[1] || '')"
	return JavaScript.eval(read)


# Null when there is no such file.
func load_text(path):
	var file = File.new()
	if file.open(path, File.READ) != OK:
		return null
	var text = file.get_as_text()
	file.close()
	return text


# Written to a temporary file and renamed, so that a crash leaves the old or the new content.
func save_text(path, text):
	var file = File.new()
	var error = file.open(path + ".new", File.WRITE)
	if error == OK:
		file.store_string(text)
		file.close()
		error = Directory.new().rename(path + ".new", path)
	return error
