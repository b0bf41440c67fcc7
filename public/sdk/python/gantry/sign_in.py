from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from .http_call import call_over_http
from .types import OwnPlayer

#: Signs a text with the wallet, as personal_sign does (EIP-191); returns "0x" and hex digits.
Sign = Callable[[str], str]


@dataclass(frozen=True)
class SignedIn:
    """A player's session in a game."""

    launcher_jwt: str
    #: The player's address.
    wallet: str
    #: The player as others see it: see `GantryClient.player`.
    player: Optional[OwnPlayer] = None
    #: The end of the session, as Unix time in milliseconds.
    expires_at: Optional[int] = None


@dataclass(frozen=True)
class Guest(SignedIn):
    #: Authenticates the player: store it securely, such as in the system's keychain.
    device_secret: str = ""


def sign_in_as_guest(
    url: str,
    game_id: str,
    device_secret: Optional[str] = None,
    device_name: Optional[str] = None,
    username: Optional[str] = None,
    game_version: Optional[str] = None,
) -> Guest:
    """Creates a guest, or signs in the guest of `device_secret`. Raises GantryError.

    `game_id` is the game's id or slug. `device_name` and `username` are for a new guest,
    `game_version` as in GantryClient.
    """
    if device_secret is not None:
        answer = call_over_http(url, "signInGuest", {"gameId": game_id, "deviceSecret": device_secret}, game_version=game_version)
        return Guest(*_signed_in(answer), device_secret)
    names = {"deviceName": device_name, "username": username}
    answer = call_over_http(url, "createGuest", _given(gameId=game_id, **names), game_version=game_version)
    return Guest(*_signed_in(answer), answer["deviceSecret"])


def sign_in_with_wallet(
    url: str, game_id: str, wallet: str, sign: Sign, chain_id: Optional[int] = None, game_version: Optional[str] = None
) -> SignedIn:
    """Signs a player in with a wallet, which signs the server's sign-in text. Raises GantryError."""
    data = _given(gameId=game_id, wallet=wallet, chainId=chain_id)
    asked = call_over_http(url, "createUnverifiedChannel", data, game_version=game_version)
    signed = _given(
        channelId=asked["channelId"], signature=sign(asked["signRequest"]), chainId=chain_id
    )
    answer = call_over_http(url, "verifyUnverifiedChannel", signed, game_version=game_version)
    return SignedIn(*_signed_in({"wallet": wallet.lower(), **answer}))


def upgrade_guest(
    url: str, launcher_jwt: str, wallet: str, sign: Sign, chain_id: Optional[int] = None, game_version: Optional[str] = None
) -> SignedIn:
    """Upgrades a guest to a player with a wallet, who keeps all data; the guest's sessions end. Raises GantryError."""
    data = _given(launcherJwt=launcher_jwt, wallet=wallet, chainId=chain_id)
    asked = call_over_http(url, "requestGuestUpgrade", data, game_version=game_version)
    signed = _given(
        launcherJwt=launcher_jwt,
        channelId=asked["channelId"],
        signature=sign(asked["signRequest"]),
        chainId=chain_id,
    )
    answer = call_over_http(url, "upgradeGuest", signed, game_version=game_version)
    return SignedIn(*_signed_in(answer))


def _signed_in(answer: Mapping[str, Any]) -> tuple[str, str, Optional[OwnPlayer], Optional[int]]:
    return answer["launcherJwt"], answer["wallet"], answer.get("player"), answer.get("expiresAt")


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
