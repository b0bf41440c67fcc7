# The game: what falls, what is caught, and the labels beside it. All about Gantry is in cloud.gd.
extends Node2D

const WIDTH = 360
const HEIGHT = 480
const BASKET_WIDTH = 70
const BASKET_TOP = HEIGHT - 40
const RADIUS = 14

var cloud = preload("res://cloud.gd").new()
var points = Label.new()
var play = Button.new()
var username = LineEdit.new()
var rename = Button.new()
var board = Label.new()
var progress = Label.new()
var news = Label.new()

# The middle of the basket.
var basket = WIDTH / 2.0
var stars = []
var score = 0
# How many stars may still be missed; 0: no round is played.
var misses = 0
var seconds_to_next = 0.0


func _ready():
	randomize()
	var side = VBoxContainer.new()
	side.set_position(Vector2(WIDTH + 24, 16))
	play.text = "Play"
	rename.text = "Save your name"
	for control in [points, play, username, rename, board, progress, news]:
		side.add_child(control)
	add_child(side)
	play.pressed.connect(_play)
	rename.pressed.connect(_rename)
	cloud.named.connect(_show_name)
	cloud.board_changed.connect(_show_board)
	cloud.progress_changed.connect(_show_progress)
	cloud.said.connect(_show_news)
	add_child(cloud)


func _play():
	score = 0
	misses = 3
	seconds_to_next = 1.0
	stars = [Vector2(basket, -RADIUS)] # the first one falls into the basket
	play.hide()


func _input(event):
	if event is InputEventMouseMotion:
		_move_to(event.position.x)


func _move_to(x):
	basket = clamp(x, BASKET_WIDTH / 2.0, WIDTH - BASKET_WIDTH / 2.0)


func _process(delta):
	if Input.is_action_pressed("ui_left"):
		_move_to(basket - 420 * delta)
	if Input.is_action_pressed("ui_right"):
		_move_to(basket + 420 * delta)
	if misses > 0:
		_fall(delta)
	points.text = "%d caught, %d misses left" % [score, misses]
	queue_redraw()


func _fall(delta):
	seconds_to_next -= delta
	if seconds_to_next <= 0:
		stars.append(Vector2(RADIUS + randf() * (WIDTH - 2 * RADIUS), -RADIUS))
		seconds_to_next = 8.0 / (score + 10)
	var falling = []
	var step = Vector2(0, (260 + 8 * score) * delta)
	for star in stars:
		if star.y + step.y < BASKET_TOP:
			falling.append(star + step)
		elif abs(star.x - basket) <= (BASKET_WIDTH + RADIUS) / 2.0:
			score += 1
		elif misses > 0:
			misses -= 1
	stars = falling
	if misses == 0:
		stars = []
		play.text = "Play again"
		play.show()
		cloud.save_round(score)


func _draw():
	draw_rect(Rect2(0, 0, WIDTH, HEIGHT), Color(0.11, 0.14, 0.25))
	for star in stars:
		for turn in range(3):
			var arm = Vector2(0, RADIUS).rotated(turn * PI / 3)
			draw_line(star - arm, star + arm, Color(1, 0.84, 0.31), 4)
	draw_rect(Rect2(basket - BASKET_WIDTH / 2.0, BASKET_TOP, BASKET_WIDTH, 14), Color(0.56, 0.71, 1))


func _rename():
	cloud.rename(username.text)


func _show_name(text):
	username.text = text


func _show_board(rows):
	board.text = "The best\n"
	for row in rows:
		board.text += "%d. %s: %d\n" % [row.position, row.username, row.score]


func _show_progress(saved):
	progress.text = "Your best: %d. Rounds played: %d" % [saved.best, saved.rounds]


func _show_news(text):
	news.text = text
