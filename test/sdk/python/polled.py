"""Prints the threads in which a client with `threaded=False` calls its listeners."""

import sys
import threading

sys.path.insert(0, sys.argv[1])
import gantry  # noqa: E402

client = gantry.GantryClient(sys.argv[2], "a token", threaded=False)
threads = []
client.on_queued(lambda call, answer, error: threads.append(threading.current_thread().name))
client.queue("set_user_score", score=1)
while not threads:
    client.poll(0.05)
print(threads)
client.close()
