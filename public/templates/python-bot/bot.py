"""A bot that plays, chats and prints the leaderboard, until it is interrupted.

    python3 bot.py [--rounds 3] [--pause 5]
"""

import argparse
import itertools
import queue
import random

import config
import gantry

SKILL = 0.8  # how likely it catches a star


def play():
    """The score of a round: how many stars it catches before it misses three."""
    score = misses = 0
    while misses < 3:
        if random.random() < SKILL:
            score += 1
        else:
            misses += 1
    return score


class Bot:
    def __init__(self, client):
        self.client = client
        self.wallet = client.player["wallet"]
        self.rows = []
        self.congratulated = set()
        self.inbox = queue.Queue()
        # Listeners run in a thread of the client: what they receive is handled between the rounds.
        client.on("chat-messages created", lambda message, _: self.inbox.put(message))
        client.on_status(lambda status: print("status:", status, flush=True))
        client.leaderboard().follow(self.show)
        # Queued, so that it is read after what an earlier run could not send.
        states = client.queue("get_states", label="progress").result()["states"]
        self.progress = states[0]["state"] if states else {"best": 0, "rounds": 0}

    def show(self, rows):
        self.rows = rows
        print("leaderboard:", self.board(), flush=True)

    def board(self):
        return ", ".join(f"{row['position']}. {row['username']} {row['score']:g}" for row in self.rows)

    def round(self):
        """Queued calls are sent once there is a connection, and executed once, even across restarts of the bot."""
        score = play()
        self.progress = {"best": max(self.progress["best"], score), "rounds": self.progress["rounds"] + 1}
        self.client.queue("set_user_score", score=score)
        self.client.queue("set_state", label="progress", state=self.progress)
        print(f"round {self.progress['rounds']}: {score}, best {self.progress['best']}", flush=True)

    def congratulate(self):
        """Writes, once, to the player who leads."""
        for row in self.rows[:1]:
            leader = row["normalizedAddress"]
            is_done = leader == self.wallet or leader in self.congratulated
            if not is_done and self.client.status == "live":
                self.congratulated.add(leader)
                self.say(f"You lead with {row['score']:g}! Write “top” for the leaderboard.", wallet=leader)

    def answer(self, seconds):
        """Answers messages until none has come for some seconds."""
        while True:
            try:
                message = self.inbox.get(timeout=seconds)
            except queue.Empty:
                return
            if message["senderId"] != self.wallet:
                asked = message["content"].strip().lower()
                best = self.progress["best"]
                content = self.board() if asked == "top" else f"My best is {best}. And yours?"
                self.say(content, channel_id=message["channelId"])

    def say(self, content, channel_id=None, wallet=None):
        """Writes into a channel, or to a player: the same two players always get the same channel."""
        try:
            if channel_id is None:
                channel_id = self.client.create_message_channel(other_participants=[wallet])["_id"]
            self.client.send_channel_message(channel_id=channel_id, content=content[:1000])
            print("said:", content, flush=True)
        except gantry.GantryError as error:  # such as a lost connection, or a player who has blocked the bot
            print("not said:", error.reason, flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, help="how many to play; without it, the bot plays until it is interrupted")
    options.add_argument("--pause", type=float, default=5, help="seconds between rounds, in which it chats")
    given = options.parse_args()
    # The launcher's player if a launcher has started the bot; otherwise a guest, the same one at every start.
    store = gantry.FileStore("bot.json")  # has the guest's secret: readable by its owner only
    with gantry.connect(config.URL, game=config.GAME, username=config.NAME, store=store) as client:
        bot = Bot(client)
        for _ in itertools.count() if given.rounds is None else range(given.rounds):
            bot.round()
            bot.answer(given.pause)
            bot.congratulate()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print()
