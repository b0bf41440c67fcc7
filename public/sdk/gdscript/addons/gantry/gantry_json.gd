# JSON for the server: whole numbers are int, and every control character is escaped. The engine does the parsing.
extends Resource

# The largest integer that a double represents exactly. As a float, Godot reads it as one less.
const MAX_WHOLE = 9007199254740991
# Smaller ones are sent as 0: the powers of ten for them are not exact.
const MIN_NUMBER = 1e-300

var _platform


# The value; null if the text is not JSON.
func parse(text):
	return _with_integers(_platform.parse_json(text))


func write(value):
	if value == null:
		return "null"
	if value is bool:
		return "true" if value else "false"
	if value is int:
		return str(value)
	if value is float:
		return _write_number(value)
	if value is Dictionary:
		return _write_object(value)
	if value is Array:
		return _write_list(value)
	if value is Object:
		return write(value.json)
	return _write_string(str(value))


func _write_number(value):
	if is_nan(value) or is_inf(value):
		push_error("Gantry: JSON has no form for %s; null is sent" % value)
		return "null"
	var size = abs(value)
	if value == floor(value) and size <= MAX_WHOLE:
		return str(int(value))
	if size <= MAX_WHOLE and size >= _platform.MIN_FRACTION:
		return _platform.write_number(value)
	if size < MIN_NUMBER:
		return "0"
	# 15 digits, which a double keeps: the server refuses a whole number with digits that would be rounded.
	var exponent = int(floor(log(size) / log(10.0)))
	return "%.14fe%d" % [value / pow(10.0, exponent), exponent]


func _write_object(members):
	var text = "{"
	for name in members:
		if text.length() > 1:
			text += ","
		text += _write_string(str(name)) + ":" + write(members[name])
	return text + "}"


func _write_list(items):
	var text = "["
	for item in items:
		if text.length() > 1:
			text += ","
		text += write(item)
	return text + "]"


func _write_string(value):
	var text = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
	for code in range(1, 32):
		if text.find(char(code)) >= 0:
			text = text.replace(char(code), "\\u%04x" % code)
	return "\"" + text + "\""


# Godot reads every number as a float.
func _with_integers(value):
	if value is float:
		return int(value) if value == floor(value) and abs(value) <= MAX_WHOLE else value
	if value is Dictionary:
		for name in value.keys():
			value[name] = _with_integers(value[name])
	elif value is Array:
		for at in range(value.size()):
			value[at] = _with_integers(value[at])
	return value
