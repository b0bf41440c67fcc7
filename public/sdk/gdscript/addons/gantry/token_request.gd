# The client asks for a new token: see `renewer` of gantry_core.gd.
extends Resource

var _client


# Call this once with the player's new token; an empty text: there is none.
func give(token):
	_client._session._token_given(self, token)
