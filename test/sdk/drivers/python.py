"""The driver of the Python SDK; see driver-protocol.md."""

import json
import logging
import os
import re
import sys
import threading
import time
import traceback

sys.path.insert(0, sys.argv[1])
import gantry  # noqa: E402
from gantry.names import EVENTS, METHODS  # noqa: E402

if "LISTENERS_DELAY_SECONDS" in os.environ:  # longer than any pause in this driver
    gantry.client.LISTENERS_DELAY = float(os.environ["LISTENERS_DELAY_SECONDS"])

if "SLOW_CONNECT_SECONDS" in os.environ:  # as on a busy machine, where other threads run first
    import engineio

    connect = engineio.Client.connect

    def slow_connect(self, *args, **options):
        connect(self, *args, **options)
        time.sleep(float(os.environ["SLOW_CONNECT_SECONDS"]))

    engineio.Client.connect = slow_connect

if "--asyncio" in sys.argv:
    import asyncio
    import inspect

    import gantry.aio

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def in_loop(function):
        """A coroutine function as a function for the threads of this driver."""

        def call(*arguments, **named):
            async def run():
                result = function(*arguments, **named)
                return await result if inspect.isawaitable(result) else result

            return asyncio.run_coroutine_threadsafe(run(), loop).result()

        return call

    class AsyncClient:
        """The client for asyncio, used from threads."""

        def __init__(self, client):
            self.client = client

        def __getattr__(self, name):
            value = getattr(self.client, name)
            return in_loop(value) if inspect.iscoroutinefunction(value) else value

        def queue(self, method, **given):
            async def start():
                return self.client.queue(method, **given)

            answered = asyncio.run_coroutine_threadsafe(start(), loop).result()

            async def result():
                return await answered

            return asyncio.run_coroutine_threadsafe(result(), loop)

        def leaderboard(self, *name, **named):
            return AsyncClient(self.client.leaderboard(*name, **named))

        @property
        def config(self):
            return AsyncClient(self.client.config)

        @property
        def friends(self):
            return AsyncClient(self.client.friends)

        def as_player(self, launcher_jwt):
            return AsyncClient(self.client.as_player(launcher_jwt))

        def for_player(self, wallet):
            return AsyncClient(self.client.for_player(wallet))

        def _refused(self):
            return self.client._client._refused()

    def create_client(listen, *arguments, **options):
        def create():
            client = AsyncClient(gantry.aio.GantryClient(*arguments, **options))
            listen(client)  # in the same step of the loop: events that arrive without a listener are lost
            return client

        return in_loop(create)()

    def connect_client(listen, *arguments, **options):
        async def connect():
            client = AsyncClient(await gantry.aio.connect(*arguments, **options))
            listen(client)  # in the same step of the loop
            return client

        return in_loop(connect)()

else:
    def create_client(listen, *arguments, **options):
        client = gantry.GantryClient(*arguments, **options)
        listen(client)
        return client

    def connect_client(listen, *arguments, **options):
        client = gantry.connect(*arguments, **options)
        listen(client)
        return client

clients = {}
signatures = {}
follows = {}
connecting = threading.Lock()
writing = threading.Lock()


def report(line):
    with writing:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


class KeptStore:
    def __init__(self, saved):
        self.saved = saved

    def load(self):
        return self.saved

    def save(self, saved):
        self.saved = json.loads(json.dumps(saved))


def snake(name):
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return "_".join(word.lower() for word in words)


def given(**options):
    return {name: value for name, value in options.items() if value is not None}


def options_of(options):
    """The options of a client that `open` and `connect` share, and its store."""
    store = gantry.FileStore(options["stateFile"]) if "stateFile" in options else KeptStore(options.get("saved"))
    renewals = options.get("renewTokens")
    return store, given(
        store=store,
        game_secret=options.get("gameSecret"),
        call_over=options.get("callOver"),
        timeout=options["timeoutMs"] / 1000 if "timeoutMs" in options else None,
        retries=options.get("retries"),
        status=options.get("status"),
        game_version=options.get("gameVersion"),
        label=options.get("label"),
        route_by_player=options.get("routeByPlayer"),
        renew=None if renewals is None else lambda: renewals.pop(0) if renewals else None,
    )


def open_client(name, options):
    store, shared = options_of(options)
    create_client(lambda made: listen(name, made, store), options["url"], options.get("launcherJwt"), **shared)


def open_connected(name, options):
    store, shared = options_of(options)
    own = given(
        username=options.get("username"),
        device_name=options.get("deviceName"),
        launcher_jwt=options.get("launcherJwt"),
        device_secret=options.get("deviceSecret"),
        sign_in_timeout=options["signInTimeoutMs"] / 1000 if "signInTimeoutMs" in options else None,
    )
    with connecting:  # the environment is that of all clients
        if "ambientToken" in options:
            os.environ["GANTRY_TOKEN"] = options["ambientToken"]
        try:
            client = connect_client(
                lambda made: listen(name, made, store), options["url"], options["game"], **own, **shared
            )
        finally:
            os.environ.pop("GANTRY_TOKEN", None)
    return client.player


class Warnings(logging.Handler):
    """What the SDK has logged as warnings."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        if record.levelno == logging.WARNING:
            self.texts.append(record.getMessage())


warnings = Warnings()
logging.getLogger("gantry").addHandler(warnings)


def listen(name, client, store):
    clients[name] = client, store
    time.sleep(float(os.environ.get("PAUSE_BEFORE_LISTENERS_SECONDS", 0)))
    for event in EVENTS:

        def on_event(record, meta, event=event):
            report({"client": name, "event": event, "record": record, "meta": meta})

        client.on(event, on_event)

    def on_queued(call, answer, error):
        report({"client": name, "queued": call["operation"], "reason": error and error.reason})

    client.on_queued(on_queued)
    client.on_resync(lambda stream: report({"client": name, "resync": stream}))

    def on_status(status):
        more = {}
        if status == "refused":
            more = {"reason": client._refused().reason, "update": client._refused().update}
        elif status == "live" and warnings.texts:
            more = {"warning": warnings.texts.pop()}
        elif status == "ended":
            more = {"endReason": client.end_reason}
        report({"client": name, "status": status, **more})

    client.on_status(on_status)


def follow(command):
    client, _ = clients[command["client"]]
    number = command["id"]

    def show(rows):
        report({"client": command["client"], "follow": number, "rows": rows})

    board = client.leaderboard(**given(name=command.get("leaderboard")))
    follows[number] = board.follow(show, **given(limit=command.get("limit")))


def follow_friends(command):
    client, _ = clients[command["client"]]
    number = command["id"]

    def show(shown):
        report({"client": command["client"], "follow": number, "list": shown})
        if command.get("throws"):
            raise ValueError("thrown for a test")

    follows[number] = client.friends.follow(show)


def follow_config(command):
    client, _ = clients[command["client"]]
    number = command["id"]

    def show(shown):
        report({"client": command["client"], "follow": number, "config": shown})

    follows[number] = client.config.follow(show)


def on(client, event):
    try:
        client.on(event, lambda record, meta: None)
    except ValueError as error:
        raise gantry.GantryError({"message": str(error), "data": {"reason": "event_unknown"}}) from None


def arguments(data):
    return {snake(name): value for name, value in (data or {}).items()}


def call(command):
    client, _ = clients[command["client"]]
    options = command.get("options") or {}
    caller = client
    if "launcherJwt" in options:
        caller = client.as_player(options["launcherJwt"])
    elif "wallet" in options:
        caller = client.for_player(options["wallet"])
    named = arguments(command.get("input"))
    if "idempotencyKey" in options:
        named["idempotency_key"] = options["idempotencyKey"]
    return getattr(caller, METHODS[command["operation"]])(**named)


def signing(number):
    def sign(text):
        waiting = signatures[number] = {"signed": threading.Event(), "signature": ""}
        report({"sign": text, "for": number})
        waiting["signed"].wait()
        return waiting["signature"]

    return sign


def carry_out(command):
    what, options = command["do"], command.get("options") or {}
    if what == "open":
        return open_client(command["client"], options)
    if what == "connect":
        return open_connected(command["client"], options)
    if what == "signInAsGuest":
        names = given(username=options.get("username"), device_name=options.get("deviceName"))
        guest = gantry.sign_in_as_guest(
            options["url"], options["gameId"], options.get("deviceSecret"), **names
        )
        return {"launcherJwt": guest.launcher_jwt, "wallet": guest.wallet, "deviceSecret": guest.device_secret}
    if what == "signInWithWallet":
        signed_in = gantry.sign_in_with_wallet(
            options["url"], options["gameId"], options["wallet"], signing(command["id"])
        )
        return {"launcherJwt": signed_in.launcher_jwt}
    if what == "connectWithWallet":
        store, shared = options_of(options)
        sign = signing(command["id"])
        made = gantry.connect_with_wallet(options["url"], options["game"], options["wallet"], sign, **shared)
        return listen(command["client"], made, store)
    if what == "signature":
        waiting = signatures[command["for"]]
        waiting["signature"] = command["signature"]
        waiting["signed"].set()
        return None
    client, store = clients[command["client"]]
    if what == "ready":
        return client.ready()
    if what == "call":
        return call(command)
    if what == "queue":
        return command["future"].result()
    if what == "queueWithoutJson":
        return client.queue("set_state", label="progress", state=float("nan")).result()
    if what == "subscribe":
        return client.subscribe(game_id=command.get("gameId"))
    if what == "unsubscribe":
        return client.unsubscribe(game_id=command.get("gameId"))
    if what == "player":
        return client.player
    if what == "follow":
        return follow(command)
    if what == "followFriends":
        return follow_friends(command)
    if what == "config":
        return {"version": client.config.version, "values": client.config.values}
    if what == "followConfig":
        return follow_config(command)
    if what == "unfollow":
        return follows.pop(command["follow"])()
    if what == "on":
        return on(client, command["event"])
    if what == "cursors":
        return client.cursors
    if what == "saved":
        return store.saved
    if what == "close":
        return client.close()
    raise ValueError(f"unknown command {what}")


def take(command):
    try:
        report({"id": command["id"], "ok": carry_out(command)})
    except gantry.GantryError as error:
        told = {
            "reason": error.reason,
            "code": error.code,
            "message": str(error),
            "retryAfterSeconds": error.retry_after_seconds,
            "data": error.data,
            "errors": error.errors,
        }
        report({"id": command["id"], "error": told})
    except Exception as error:  # a mistake of the driver or the SDK, which the kit need not wait for
        report({"id": command["id"], "error": {"reason": repr(error), "message": traceback.format_exc()}})


for line in sys.stdin:
    received = json.loads(line)
    # A client exists for the commands that follow; waiting commands delay nothing.
    if received["do"] == "open":
        take(received)
    else:
        if received["do"] == "queue":  # in the order of the commands
            client, _ = clients[received["client"]]
            method = METHODS[received["operation"]]
            received["future"] = client.queue(method, **arguments(received["input"]))
            for value in received["input"].values():
                if isinstance(value, (dict, list)):
                    value.clear()
        threading.Thread(target=take, args=(received,), daemon=True).start()
os._exit(0)
