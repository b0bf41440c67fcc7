# A text that a wallet is to sign.
extends Resource

var _client
var _call


# The wallet's signature of the text, 0x…; called once.
func sign(signature):
	_client._signature_given(_call, signature)
