// The page around the game: the button, the score, and what Gantry knows of the player and the others.
import { connecting, loading, saveRound } from './cloud.js';

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

const name = /** @type {HTMLInputElement} */ (element('name'));

/** @param {string} text */
function tell(text) {
  element('news').textContent = text;
}

/** @param {Partial<import('./gantry/client.js').GantryError>} error Has a message for people; programs read its `reason`. */
function tellError({ reason, message }) {
  const isOfLauncher = reason === 'sign_in_required'; // it has opened the session, and manages the player
  tell(isOfLauncher ? 'Change your name in the launcher' : (message ?? ''));
}

/** @typedef {import('./gantry/client.js').GantryClient} Client */
/** @type {readonly import('./gantry/client.js').LeaderboardRow[]} */
let rows = [];

const away =
  'The server cannot be reached. Trying again: keep this page open, and rounds are saved when it is back';
const waiting = setTimeout(tell, 5000, away);

connecting
  .finally(() => clearTimeout(waiting))
  .then(async (client) => {
    tell('');
    name.value = client.player?.username ?? '';
    client.onStatus((status) => {
      if (status.state === 'live') tell('');
      else if (status.state === 'connecting') tell('Offline: rounds are saved when you are online again');
      else if (status.state === 'refused') tell(status.message);
      else tell('Your session has ended: reload the page');
    });
    await client.leaderboard().follow((now) => {
      rows = now;
      showBoard(client);
    });
    showProgress(await loading);
  })
  .catch(tellError);

/**
 * The names of others change with their scores, the player's own at once.
 * @param {Client} client
 */
function showBoard({ player }) {
  const items = rows.map(({ username, score, normalizedAddress }) => {
    const isOwn = normalizedAddress === player?.wallet;
    const item = document.createElement('li');
    const shown = document.createElement('bdi'); // names that are written from right to left do not move the score
    shown.textContent = isOwn ? player.username : username;
    item.append(shown, `: ${score}`);
    item.classList.toggle('own', isOwn);
    return item;
  });
  element('board').replaceChildren(...items);
}

/** @param {import('./cloud.js').Progress} progress */
function showProgress({ best, rounds }) {
  element('progress').textContent = `Your best: ${best}. Rounds played: ${rounds}`;
}

element('name-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const client = await connecting;
    await client.api.setUsername({ username: name.value });
    showBoard(client);
    tell('Saved');
  } catch (error) {
    tellError(Object(error));
  }
});

/**
 * Calls the listener when a round starts.
 * @param {() => void} listener
 */
export function onPlay(listener) {
  element('play').addEventListener('click', () => {
    element('play').hidden = true;
    listener();
  });
}

/**
 * @param {number} score
 * @param {number} misses How many stars may still be missed.
 */
export function showScore(score, misses) {
  element('score').textContent = `${score} ${'♥'.repeat(misses)}`;
}

/**
 * Ends a round, and offers the next one.
 * @param {number} score
 */
export function endRound(score) {
  const play = element('play');
  play.textContent = `${score} caught. Play again`;
  play.hidden = false;
  play.focus();
  save(score).catch(tellError);
}

/** @param {number} score */
async function save(score) {
  const { progress, sent } = await saveRound(score);
  showProgress(progress);
  await sent;
}
