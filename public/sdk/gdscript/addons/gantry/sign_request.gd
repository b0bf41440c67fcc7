# A text for a wallet to sign.
extends Resource

var _client
var _call


# Call this once with the wallet's signature of the text, 0x…
func sign(signature):
	_client._sign_in._signature_given(_call, signature)
