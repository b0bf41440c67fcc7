"""A game as the page about SDKs says to write it; it reads scores from standard input.

Arguments: the SDK's folder, which `pip install` would make unnecessary, the server's URL, the game, and the player's file.
"""

import sys

sys.path.insert(0, sys.argv[1])
import gantry  # noqa: E402

_, _, url, game, file = sys.argv
client = gantry.connect(url, game=game, username="Ada", store=gantry.FileStore(file))
print("player:", client.player["wallet"], client.player["username"], flush=True)
client.on_status(lambda status: print("status:", status, flush=True))
client.on("notifications created", lambda note, meta: print("notification:", note["message"], flush=True))
client.leaderboard().follow(lambda rows: print("board:", [row["score"] for row in rows], flush=True))
for line in sys.stdin:
    client.queue("set_user_score", score=int(line))
client.close()
