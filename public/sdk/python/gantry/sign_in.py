from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

from .client import GantryClient
from .http_call import call_over_http
from .store import MemoryStore, Store

#: Signs a text with the wallet, as personal_sign does (EIP-191); returns "0x" and hex digits.
Sign = Callable[[str], str]


@dataclass(frozen=True)
class SignedIn:
    """A player's session in a game."""

    launcher_jwt: str
    #: The player's address.
    wallet: str


@dataclass(frozen=True)
class Guest(SignedIn):
    #: Authenticates the player: store it securely, such as in the system's keychain.
    device_secret: str


def sign_in_as_guest(
    url: str, game_id: str, device_secret: Optional[str] = None, device_name: Optional[str] = None
) -> Guest:
    """Creates a guest, or signs in the guest of `device_secret`. Raises GantryError."""
    if device_secret is not None:
        data = {"gameId": game_id, "deviceSecret": device_secret}
        answer = call_over_http(url, "signInGuest", data)
        return Guest(answer["launcherJwt"], answer["wallet"], device_secret)
    answer = call_over_http(url, "createGuest", _given(gameId=game_id, deviceName=device_name))
    return Guest(answer["launcherJwt"], answer["wallet"], answer["deviceSecret"])


def sign_in_with_wallet(
    url: str, game_id: str, wallet: str, sign: Sign, chain_id: Optional[int] = None
) -> SignedIn:
    """Signs a player in with a wallet, which signs the server's sign-in text. Raises GantryError."""
    data = _given(gameId=game_id, wallet=wallet, chainId=chain_id)
    asked = call_over_http(url, "createUnverifiedChannel", data)
    signed = _given(
        channelId=asked["channelId"], signature=sign(asked["signRequest"]), chainId=chain_id
    )
    answer = call_over_http(url, "verifyUnverifiedChannel", signed)
    return SignedIn(answer["launcherJwt"], wallet.lower())


def upgrade_guest(
    url: str, launcher_jwt: str, wallet: str, sign: Sign, chain_id: Optional[int] = None
) -> SignedIn:
    """Upgrades a guest to a player with a wallet, who keeps all data; the guest's sessions end. Raises GantryError."""
    data = _given(launcherJwt=launcher_jwt, wallet=wallet, chainId=chain_id)
    asked = call_over_http(url, "requestGuestUpgrade", data)
    signed = _given(
        launcherJwt=launcher_jwt,
        channelId=asked["channelId"],
        signature=sign(asked["signRequest"]),
        chainId=chain_id,
    )
    answer = call_over_http(url, "upgradeGuest", signed)
    return SignedIn(answer["launcherJwt"], answer["wallet"])


def connect_as_guest(
    url: str, game_id: str, store: Optional[Store] = None, device_name: Optional[str] = None, **options: Any
) -> GantryClient:
    """Signs in as the guest in the store, or as a new one, and connects.

    Without a store, the guest is lost when the program ends. `options` are those of GantryClient. Raises GantryError.
    """
    kept = store if store is not None else MemoryStore()
    saved = kept.load() or {}
    guest = sign_in_as_guest(url, game_id, saved.get("deviceSecret"), device_name)
    kept.save({**saved, "deviceSecret": guest.device_secret})
    return _connected(GantryClient(url, guest.launcher_jwt, store=kept, **options))


def connect_with_wallet(
    url: str, game_id: str, wallet: str, sign: Sign, chain_id: Optional[int] = None, **options: Any
) -> GantryClient:
    """Signs in with a wallet and connects; `options` are those of GantryClient. Raises GantryError."""
    signed_in = sign_in_with_wallet(url, game_id, wallet, sign, chain_id)
    return _connected(GantryClient(url, signed_in.launcher_jwt, **options))


def _connected(client: GantryClient) -> GantryClient:
    try:
        client.ready()
    except BaseException:
        client.close()
        raise
    return client


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
