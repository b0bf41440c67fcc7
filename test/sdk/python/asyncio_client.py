"""Cancels calls, queues and listens with the client for asyncio; prints what the test waits for, as JSON lines.

Arguments: the SDK's folder and the server's URL. Nothing listens there until the first line.
"""

import asyncio
import json
import sys

sys.path.insert(0, sys.argv[1])
import gantry.aio  # noqa: E402


def tell(**line):
    print(json.dumps(line), flush=True)


async def cancelled(awaitable):
    try:
        await asyncio.wait_for(awaitable, 0.2)
    except asyncio.TimeoutError:
        return True
    return False


async def main():
    url = sys.argv[2]
    handled = []
    async with gantry.aio.GantryClient(url, "token") as client:

        async def listener(record, meta):
            handled.append(f"{record['_id']} starts")
            await client.get_user_score()
            handled.append(f"{record['_id']} ends")
            if len(handled) == 6:
                tell(handled=handled, isInLoop=asyncio.current_task() is not None)

        client.on("notifications created", listener)
        tell(
            offline=[
                await cancelled(client.set_user_score(score=1)),
                await cancelled(client.queue("set_user_score", score=2)),
                await cancelled(client.ready()),
            ]
        )
        await client.ready()
        await client.set_user_score(score=3)
        await client.queue("set_user_score", score=4)  # sent after the other one
        tell(live=client.status)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    try:
        await client.get_user_score()
    except gantry.GantryError as error:
        tell(closed=error.reason)
    try:
        client.on("notification created", print)
    except ValueError as error:
        tell(misspelt=str(error))


asyncio.run(main())
