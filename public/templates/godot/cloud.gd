# Everything this game asks of Gantry. The game and its labels are in main.gd.
extends Node

signal named(username)
signal board_changed(rows)
signal progress_changed(progress)
signal said(text)

const Config = preload("res://config.gd")
const DAY_MS = 86400000

var client = preload("res://addons/gantry/gantry_client.gd").new(Config.URL)
# What is saved: the same on every device of the player.
var progress = {"best": 0, "rounds": 0}
var _is_loaded = false
var _unsaved = []
var _rows = []


func _ready():
	client.status_changed.connect(_on_status)
	client.queued_call_ended.connect(_on_answer)
	add_child(client)
	_start()


# The player of the launcher that has started the game; otherwise a guest, the same one at every start. While the server
# cannot be reached, this is tried again for a day: the game can be played meanwhile.
func _start():
	_on_status("connecting")
	var started = await client.start({"game": Config.GAME, "timeout_ms": DAY_MS}).completed
	if not started.ok:
		emit_signal("said", started.error.message)
		return
	emit_signal("named", client.player.username)
	var leaderboard = client.leaderboard()
	leaderboard.changed.connect(_on_rows)
	leaderboard.follow()
	# An empty change reads what is saved. Queued, it does so after the rounds that were finished offline have been sent.
	var answer = await client.patch_state("progress", {}, {}, {"queued": true}).completed
	if not answer.ok:
		return # _on_answer has said why
	var saved = answer.data.new_state.state
	for key in saved:
		progress[key] = saved[key]
	_is_loaded = true
	emit_signal("progress_changed", progress)
	_save()


# Saves a finished round. Queued calls are kept until the server has them, also when the network is away or the game is
# closed, and are executed once. The leaderboard shows each player's best score.
func save_round(score):
	_unsaved.append(score)
	if _is_loaded:
		_save()


func rename(username):
	var answer = await client.set_username(username).completed
	if answer.ok:
		emit_signal("said", "Saved")
		_on_rows(_rows)
	elif answer.error.reason == "sign_in_required": # the launcher has opened the session, and manages the player
		emit_signal("said", "Change your name in the launcher")
	else:
		emit_signal("said", answer.error.message)


func _save():
	if _unsaved.size() == 0:
		return
	for score in _unsaved:
		progress.best = max(progress.best, score)
		progress.rounds += 1
		client.set_user_score(score, {}, {"queued": true})
	_unsaved = []
	client.set_state(progress.duplicate(), "progress", {}, {"queued": true})
	emit_signal("progress_changed", progress)


# The rows of others change with their scores, the player's name at once.
func _on_rows(rows):
	_rows = rows
	for row in rows:
		if row.normalized_address == client.player.wallet:
			row.username = client.player.username
	emit_signal("board_changed", rows)


func _on_answer(answer):
	if not answer.ok:
		emit_signal("said", answer.error.message)


func _on_status(status):
	match status:
		"live":
			emit_signal("said", "")
		"connecting":
			emit_signal("said", "Offline: rounds are saved when you are online again")
		"refused":
			emit_signal("said", client.status_error.message)
		"ended":
			emit_signal("said", "Your session has ended: start the game again")
