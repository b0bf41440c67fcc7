# A whole small game: signs in as a guest, scores, shows the leaderboard as it changes and the notifications as they come.
# Set the server and the game's id (`gantry game list`) in the inspector.
extends VBoxContainer

@export var url = "http://127.0.0.1:3000"
@export var game_id = ""

var client = GantryClient.new()
var rows = []
var points = 0
var board = Label.new()
var news = Label.new()


func _ready():
	var button = Button.new()
	button.text = "Score 100"
	button.pressed.connect(_score)
	for control in [button, board, news]:
		add_child(control)
	client.url = url
	client.save_path = "user://gantry.json" # has the guest's secret too, so that it is the same guest each time
	client.status_changed.connect(func(status): _tell("connection: " + status))
	client.notifications_created.connect(func(notification, _meta): _tell(notification.message))
	client.leaderboards_patched.connect(_on_leaderboard)
	add_child(client)
	_play()


func _play():
	var guest = await client.sign_in_as_guest(game_id).completed
	if not guest.ok:
		_tell(guest.error.message)
		return
	await client.wait_until_ready().completed
	var subscribed = await client.subscribe().completed
	if subscribed.ok:
		rows = subscribed.data.leaderboard
		_show()


func _score():
	points += 100
	# Queued: it is sent once there is a connection, and carried out once, whatever happens.
	var answer = await client.set_user_score(points, {}, {"queued": true}).completed
	if not answer.ok:
		_tell(answer.error.message)


# Puts each row at its position and cuts the board to its length, as PROTOCOL.md says.
func _on_leaderboard(change, _meta):
	for row in change.rows:
		while rows.size() < row.position:
			rows.append(row)
		rows[row.position - 1] = row
	rows.resize(min(rows.size(), change.length))
	_show()


func _show():
	board.text = ""
	for row in rows:
		board.text += "%d. %s: %s\n" % [row.position, row.username, row.score]


func _tell(what):
	news.text = what
