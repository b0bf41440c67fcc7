"""The Python SDK of Gantry, a self-hosted backend for games.

    import gantry

    client = gantry.connect_as_guest("http://127.0.0.1:3000", "YOUR_GAME_ID")
    client.set_user_score(score=1200)

Python 3.9 and newer. Calls over HTTP need nothing else; live events need
python-socketio and websocket-client (pip install "python-socketio[client]").
"""

from .client import GantryClient
from .errors import GantryError
from .sign_in import (
    Guest,
    SignedIn,
    connect_as_guest,
    connect_with_wallet,
    sign_in_as_guest,
    sign_in_with_wallet,
    upgrade_guest,
)
from .store import FileStore, Store

__all__ = [
    "FileStore",
    "GantryClient",
    "GantryError",
    "Guest",
    "SignedIn",
    "Store",
    "connect_as_guest",
    "connect_with_wallet",
    "sign_in_as_guest",
    "sign_in_with_wallet",
    "upgrade_guest",
]
