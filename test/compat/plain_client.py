"""A launcher written with python-socketio, as installed from a package registry. Prints events and results as JSON.

usage: plain_client.py URL TRANSPORT TOKEN SCORE
"""

import json
import sys
import threading

import socketio

url, transport, token, score = sys.argv[1:]
client = socketio.Client(reconnection=False)
received = []
is_received = threading.Event()


@client.on("scores created")
def on_score(record, meta):
    received.append(record["score"])
    is_received.set()


def call(name, *data):
    """The error or the result: the server's acknowledgement has both."""
    answer = client.call(name, data, timeout=20)
    error, result = answer if isinstance(answer, (list, tuple)) else (answer, None)
    return {"error": error, "result": result}


client.connect(url, auth={"launcherJwt": token}, transports=[transport], wait_timeout=20)
answers = {
    "feathers form": call("setUserScore", "launcher", {"score": float(score)}, {}),
    "refused": call("setUserScore", "launcher", {"score": "many"}, {}),
    "states": call("getStates", "launcher", {"label": None, "limit": 0}, {}),
}
one_payload = client.call("getUserScore", {"nonce": None}, timeout=20)
is_received.wait(20)
client.disconnect()
print(json.dumps({"answers": answers, "one payload": one_payload, "received": received}))
