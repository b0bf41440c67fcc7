"""The Python SDK of Gantry, a self-hosted backend for games.

    import gantry

    client = gantry.connect("http://127.0.0.1:3000", game="YOUR_GAME")
    client.set_user_score(score=1200)

Python 3.9 and newer. Calls over HTTP need nothing else; live events need
python-socketio and websocket-client (pip install "python-socketio[client]").
`gantry.aio` is the same for asyncio.
"""

from .client import GantryClient
from .config import Config
from .connecting import connect, connect_as_guest, connect_with_wallet
from .errors import GantryError
from .friends import FollowedFriend, FriendList, Friends
from .leaderboard import Leaderboard
from .names import VERSION as __version__
from .sign_in import (
    Guest,
    SignedIn,
    sign_in_as_guest,
    sign_in_with_wallet,
    upgrade_guest,
)
from .store import FileStore, Store

__all__ = [
    "Config",
    "FileStore",
    "FollowedFriend",
    "FriendList",
    "Friends",
    "GantryClient",
    "GantryError",
    "Guest",
    "Leaderboard",
    "SignedIn",
    "Store",
    "__version__",
    "connect",
    "connect_as_guest",
    "connect_with_wallet",
    "sign_in_as_guest",
    "sign_in_with_wallet",
    "upgrade_guest",
]
