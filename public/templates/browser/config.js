/** The Gantry server, and the id or slug of this game there. */
export const url = 'http://127.0.0.1:3000';
export const game = 'YOUR_GAME';
