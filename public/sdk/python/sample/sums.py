"""A whole game in the terminal: answer sums until one is wrong; the leaderboard changes as others play.

    python3 sums.py http://127.0.0.1:3000 YOUR_GAME [YOUR_NAME]

YOUR_GAME is the game's id or slug. Started by a launcher (GANTRY_TOKEN), it plays as the launcher's player; otherwise as
a guest, who is kept in ~/.gantry-sums.json: the next start is the same player.
"""

import random
import sys
from pathlib import Path

import gantry


def show(rows):
    print("leaderboard:", ", ".join(f"{row['position']}. {row['username']} {row['score']}" for row in rows))


def play():
    points = 0
    while True:
        one, other = random.randint(1, 9 + points), random.randint(1, 9 + points)
        if input(f"{one} + {other} = ").strip() != str(one + other):
            return points
        points += 1


def main(url, game, name=None):
    store = gantry.FileStore(Path.home() / ".gantry-sums.json")
    with gantry.connect(url, game=game, username=name, store=store) as client:
        print(f"Hello, {client.player['username']}!")
        client.on("notifications created", lambda notification, _: print(notification["message"]))
        client.leaderboard().follow(show, limit=5)
        try:
            while True:
                points = play()
                print(f"{points} points. Again, or end with Ctrl-D:")
                # Queued: sent once there is a connection, and executed once, even across restarts of the game.
                client.queue("set_user_score", score=points)
        except (EOFError, KeyboardInterrupt):
            print()


if __name__ == "__main__":
    main(*sys.argv[1:])
