# A whole small game: signs the player in, scores, shows the leaderboard as it changes and the notifications as they come.
# Set the server and the game (its slug or id: `gantry game list`) in the inspector.
extends VBoxContainer

export var url = "http://127.0.0.1:3000"
export var game = ""

var client = GantryClient.new()
var points = 0
var board = Label.new()
var news = Label.new()


func _ready():
	var button = Button.new()
	button.text = "Score 100"
	button.connect("pressed", self, "_score")
	for control in [button, board, news]:
		add_child(control)
	client.url = url
	client.connect("status_changed", self, "_on_status")
	client.connect("notifications_created", self, "_on_notification")
	add_child(client)
	_play()


# The player of the launcher that has opened the game, otherwise the guest of this device, each time the same.
func _play():
	var started = yield(client.start({"game": game}), "completed")
	if not started.ok:
		_tell(started.error.message)
		return
	_tell("You are " + client.player.username)
	var leaderboard = client.leaderboard()
	leaderboard.connect("changed", self, "_show")
	leaderboard.follow()


func _score():
	points += 100
	# Queued: it is sent once there is a connection, and carried out once, whatever happens.
	var answer = yield(client.set_user_score(points, {}, {"queued": true}), "completed")
	if not answer.ok:
		_tell(answer.error.message)


func _on_status(status):
	_tell("connection: " + status)


func _on_notification(received, _meta):
	_tell(received.message)


func _show(rows):
	board.text = ""
	for row in rows:
		board.text += "%d. %s: %d\n" % [row.position, row.username, row.score]


func _tell(what):
	news.text = what
