// A whole game on an origin of its own. Put in your server's address, here and below, and the game's id:
//   python3 -m http.server 8080
import { connectAsGuest } from 'http://127.0.0.1:3000/client.js';

const url = 'http://127.0.0.1:3000';
const gameId = new URLSearchParams(location.search).get('game') ?? 'YOUR_GAME_ID';
const seconds = Number(new URLSearchParams(location.search).get('seconds') ?? 10);

const [button, result, best] = ['click', 'result', 'best'].map((id) => document.getElementById(id));
const rows = [];

function show(change) {
  for (const row of change.rows) rows[row.position - 1] = row;
  rows.length = change.length;
  best.replaceChildren(
    ...rows.map(({ username, score }) => {
      const item = document.createElement('li');
      item.textContent = `${username}: ${score}`;
      return item;
    }),
  );
}

// The guest is kept in this browser, with what the server has told; the next visit is the same player.
const client = await connectAsGuest({ url, gameId });
client.on('leaderboards patched', show);
client.onStatus(async ({ state }) => {
  button.disabled = state !== 'live';
  if (state === 'live') await follow(); // changes while it was away are not told again
});
await follow();
button.textContent = 'Click';
button.disabled = false;

async function follow() {
  const { leaderboard } = await client.subscribe();
  show({ length: leaderboard.length, rows: leaderboard });
}

let clicks = 0;
button.addEventListener('click', () => {
  if (clicks === 0) setTimeout(end, seconds * 1000);
  clicks++;
  result.textContent = `${clicks}`;
});

async function end() {
  const score = clicks;
  clicks = 0;
  try {
    // Kept until the server has it, also when the network is away.
    await client.queue('setUserScore', { score });
    result.textContent = `${score} clicks`;
  } catch (error) {
    result.textContent = error.message;
  }
}
