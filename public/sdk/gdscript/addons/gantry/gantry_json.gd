# JSON for the server: whole numbers are int, and every control character is escaped. The engine does the parsing.
extends Resource

# The largest integer that a double represents exactly.
const MAX_WHOLE = 9007199254740991.0

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
	if value == floor(value) and abs(value) <= MAX_WHOLE:
		return str(int(value))
	return _platform.write_number(value)


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
