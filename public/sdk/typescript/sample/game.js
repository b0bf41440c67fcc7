// A whole game on an origin of its own. Put in your server's address, here and below, and the game's slug or id:
//   python3 -m http.server 8080
import { connect } from 'http://127.0.0.1:3000/client.js';

const url = 'http://127.0.0.1:3000';
const game = new URLSearchParams(location.search).get('game') ?? 'YOUR_GAME';
const seconds = Number(new URLSearchParams(location.search).get('seconds') ?? 10);

const [button, result, best] = ['click', 'result', 'best'].map((id) => document.getElementById(id));

// The launcher's player when a launcher has opened this page; otherwise a guest, the same one at every visit.
const client = await connect({ url, game });
client.onStatus(({ state }) => {
  button.disabled = state !== 'live';
});
await client.leaderboard().follow((rows) =>
  best.replaceChildren(
    ...rows.map(({ username, score }) => {
      const item = document.createElement('li');
      const name = document.createElement('bdi'); // names that are written from right to left do not move the score
      name.textContent = username;
      item.append(name, `: ${score}`);
      return item;
    }),
  ),
);
document.getElementById('player').textContent = client.player.username;
button.textContent = 'Click';
button.disabled = false;

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
