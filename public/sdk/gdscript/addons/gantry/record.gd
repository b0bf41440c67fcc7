# The base of the records of records.gd: a typed view of a Dictionary parsed from JSON.
extends Resource

# The Dictionary itself, with every field the server sent, including those unknown to this version of the SDK.
var json = {}


func _text(name):
	var value = json.get(name)
	return value if value is String else ""


func _integer(name):
	var value = json.get(name)
	return int(value) if value is int or value is float else 0


func _number(name):
	var value = json.get(name)
	return float(value) if value is int or value is float else 0.0


func _boolean(name):
	var value = json.get(name)
	return value if value is bool else false


func _list(name):
	var value = json.get(name)
	return value if value is Array else []


func _map(name):
	var value = json.get(name)
	return value if value is Dictionary else {}


func _records(name, type):
	var records = []
	for item in _list(name):
		records.append(type.new().read(item))
	return records


func _record(name, type):
	var value = json.get(name)
	return type.new().read(value) if value is Dictionary else null
