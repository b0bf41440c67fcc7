"""The Gantry server, the id or slug of the game there, and the bot's name."""

URL = "http://127.0.0.1:3000"
GAME = "YOUR_GAME"
NAME = "Star Bot"
