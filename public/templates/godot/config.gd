# The Gantry server, and the id or slug of this game there.
extends Object

const URL = "http://127.0.0.1:3000"
const GAME = "YOUR_GAME"
