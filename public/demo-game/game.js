/**
 * Stack: a game of about a minute, and example code to copy for a game that runs in a Gantry launcher. All calls to Gantry
 * are in cloud.js, what is drawn in scene.js.
 */
import { Cloud } from './cloud.js';
import { draw, height, world } from './scene.js';

/**
 * @typedef {import('./scene.js').Container} Container
 * @typedef {import('./cloud.js').Round} Round
 * @typedef {import('./cloud.js').Friend} Friend
 */

const firstWidth = 150;
const perfect = 5; // units off that still count as perfect
const perfectsForGrowth = 3; // this many in a row make the next container wider
const growth = 14;
const points = 50; // per container
const perfectBonus = 25; // for each consecutive perfect drop, up to five
const winsAt = 12; // containers
const firstSpeed = 120; // units per second
const fasterEach = 7;
const gravity = 1500;
const hues = [18, 205, 145, 42, 265, 345, 185];

/** An element of index.html. @param {string} id */
const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
};
const overlay = element('overlay');
const title = element('title');
const text = element('text');
const start = element('start');
const note = element('note');

let best = 0;
/** @type {Round | null} */
let round = null;
/** The container that hangs from the crane or falls. */
let load = { x: 0, width: firstWidth, hue: 0, speed: firstSpeed, falling: false, y: 0, velocity: 0 };
/** Cut-off pieces, falling into the sea. @type {{ x: number, y: number, width: number, hue: number, velocity: number, turn: number }[]} */
let pieces = [];
let camera = 0; // units the view has moved up
let lastFrame = 0;
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');
let rest = 0; // the timer of the next frame, when it is not drawn at once
let noteTimer = 0;
/** Friends race each other by score. @type {string} */
let race = newId();
/** @type {readonly Friend[]} */
let friends = [];
const cloud = new Cloud({
  showNote,
  showPlayer: (name) => {
    element('player').textContent = name;
  },
  showFriends,
  join,
});

/** A random UUID. `crypto.randomUUID` is not available on pages without TLS, as on a phone in the same network. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-a$4-');
}

function newRound() {
  round = { id: newId(), score: 0, streak: 0, stack: [base()], won: false };
  pieces = [];
  nextLoad();
  overlay.hidden = true;
  endRest();
  cloud.track(round); // start the play session
  showScores();
  tellFriends();
}

/** @param {Round} saved */
function resume(saved) {
  round = saved;
  nextLoad();
  overlay.hidden = true;
  endRest();
  showScores();
  showNote('Welcome back: your round was restored');
}

/** The hold, on which the first container lands. @returns {Container} */
function base() {
  return { x: (world - firstWidth) / 2, width: firstWidth, hue: 215 };
}

function nextLoad() {
  if (!round) return;
  const top = round.stack.at(-1) ?? base();
  const count = round.stack.length;
  const fromLeft = count % 2 === 0;
  const speed = firstSpeed + count * fasterEach;
  load = {
    x: fromLeft ? 0 : world - top.width,
    width: top.width,
    hue: hues[count % hues.length] ?? 0,
    speed: fromLeft ? speed : -speed,
    falling: false,
    y: hangingHeight(),
    velocity: 0,
  };
}

function drop() {
  if (round && !load.falling) load.falling = true;
}

/** The load has reached the stack: the overlap stays, the overhang is cut off. */
function land() {
  if (!round) return;
  const top = round.stack.at(-1) ?? base();
  const offset = load.x - top.x;
  const overlap = top.width - Math.abs(offset);
  const isPerfect = Math.abs(offset) <= perfect;
  if (overlap <= 0) {
    pieces.push({ x: load.x, y: load.y, width: load.width, hue: load.hue, velocity: 0, turn: 0 });
    finish();
    return;
  }
  if (isPerfect) {
    round.streak += 1;
    const wider = round.streak % perfectsForGrowth === 0 ? Math.min(growth, firstWidth - top.width) : 0;
    round.stack.push({ x: top.x - wider / 2, width: top.width + wider, hue: load.hue });
    round.score += points + perfectBonus * Math.min(round.streak, 5);
    showNote(round.streak > 1 ? `Perfect, ${round.streak} in a row` : 'Perfect');
  } else {
    round.streak = 0;
    const left = Math.max(load.x, top.x);
    round.stack.push({ x: left, width: overlap, hue: load.hue });
    round.score += points;
    const cut = offset > 0 ? top.x + top.width : load.x;
    pieces.push({ x: cut, y: load.y, width: load.width - overlap, hue: load.hue, velocity: 0, turn: 0 });
  }
  const containers = round.stack.length - 1;
  if (containers >= winsAt && !round.won) {
    round.won = true;
    showNote(`${containers} containers: the ship is loaded. How high can you go?`);
    cloud.win(round); // once per round
  }
  cloud.save({ best, round }); // so that a reload, or another device, can resume the round
  if (containers % 5 === 0) cloud.track(round); // update the play session
  if (containers % 3 === 0) tellFriends(); // each drop would be more than friends can follow
  showScores();
  nextLoad();
}

async function finish() {
  if (!round) return;
  const over = round;
  round = null;
  const isRecord = over.score > best;
  best = Math.max(best, over.score);
  showScores(over.score);
  title.textContent = isRecord ? 'A new best' : over.won ? 'Well stacked' : 'Into the sea';
  const containers = over.stack.length - 1;
  text.textContent = `${over.score} points with ${containers} ${containers === 1 ? 'container' : 'containers'}.`;
  start.textContent = 'Play again';
  overlay.hidden = false;
  start.focus();
  await cloud.score(over); // updates the leaderboard for all subscribers
  cloud.track(over, Date.now()); // end the play session
  cloud.save({ best, round: null });
  if (isRecord && over.score > 0) cloud.announceRecord(over.score);
  tellFriends();
  compareWithFriends();
}

function tellFriends() {
  const level = round ? `Level ${1 + Math.floor((round.stack.length - 1) / 3)}` : 'Between rounds';
  const score = round?.score ?? 0;
  const size = 1 + friends.filter(({ group }) => group?.id === race).length;
  cloud.show({ details: round ? `${level}, ${score} points` : level, score, race, size });
}

/**
 * Joins the race of a friend. It may be asked for twice: by the launcher, and by Gantry.
 * @param {string} connect as the friend's game gave it to `setRichPresence`
 * @param {string} from the friend's wallet
 */
function join(connect, from) {
  if (connect === '' || connect === race) return;
  race = connect;
  const friend = friends.find(({ wallet }) => wallet === from);
  showNote(`You race with ${friend?.username ?? 'a friend'}`);
  tellFriends();
  showRace();
}

/** @param {readonly Friend[]} now as the SDK keeps them: the list, with what each is doing */
function showFriends(now) {
  const isNew = now.length !== friends.length;
  friends = now;
  showRace();
  if (isNew) compareWithFriends();
}

/** The scores of the others in the race, as they play. */
function showRace() {
  element('race').textContent = friends
    .filter(({ group }) => group?.id === race)
    .map(({ username, values }) => `${username} ${values?.score ?? ''}`)
    .join(', ');
}

async function compareWithFriends() {
  const rows = friends.length > 0 ? await cloud.scoresAmong(friends) : [];
  element('friends').hidden = rows.length === 0;
  element('friends-list').replaceChildren(...rows.map(friendRow));
}

/** @param {{ normalizedAddress: string, username: string, score: number }} row */
function friendRow({ normalizedAddress: wallet, username, score }) {
  const row = document.createElement('li');
  const name = document.createElement('span');
  name.className = 'truncate';
  name.textContent = username;
  row.append(name, String(score));
  if (friends.some((friend) => friend.wallet === wallet)) {
    const invite = document.createElement('button');
    invite.type = 'button';
    invite.className = 'button small';
    invite.textContent = 'Invite';
    invite.ariaLabel = `Invite ${username}`;
    invite.addEventListener('click', async () => {
      invite.disabled = true;
      const isInvited = await cloud.invite(wallet, race);
      invite.disabled = isInvited;
      if (isInvited) invite.textContent = 'Invited';
    });
    row.append(invite);
  }
  return row;
}

/** @param {string} message announced to screen readers */
function showNote(message) {
  note.textContent = message;
  clearTimeout(noteTimer);
  noteTimer = window.setTimeout(() => {
    note.textContent = '';
  }, 3_000);
}

/** @param {number} [score] */
function showScores(score = round?.score ?? 0) {
  element('score').textContent = String(score);
  element('best').textContent = String(best);
}

// Heights are measured upwards from the hold; the crane is always in view, a few containers above the stack.

function stackHeight() {
  return (round?.stack.length ?? 1) * height;
}

function hangingHeight() {
  return stackHeight() + 150;
}

/** @param {number} seconds since the last frame */
function move(seconds) {
  if (round) {
    if (load.falling) {
      load.velocity += gravity * seconds;
      load.y -= load.velocity * seconds;
      if (load.y <= stackHeight()) {
        load.y = stackHeight();
        land();
      }
    } else {
      load.x += load.speed * seconds;
      const end = world - load.width;
      if (load.x < 0 || load.x > end) {
        load.x = Math.min(Math.max(load.x, 0), end);
        load.speed = -load.speed;
      }
      load.y = hangingHeight();
    }
  }
  for (const piece of pieces) {
    piece.velocity += gravity * seconds;
    piece.y -= piece.velocity * seconds;
    piece.turn += 2.5 * seconds;
  }
  pieces = pieces.filter(({ y }) => y > camera - 200);
  const target = Math.max(0, stackHeight() - 4 * height);
  camera += (target - camera) * Math.min(1, seconds * 4);
}

/** @param {number} now */
function frame(now) {
  // Limits the step after the tab was in the background.
  move(Math.min(0.05, (now - lastFrame) / 1000));
  lastFrame = now;
  draw({
    stack: round?.stack ?? [base()],
    load: round && load,
    pieces,
    craneHeight: hangingHeight(),
    camera,
    time: lessMotion.matches ? 0 : now,
  });
  // Between rounds only the sea moves, and it is still for players who prefer less motion: a few frames follow the size
  // of the window and the colors.
  const moves = round || pieces.length > 0 || camera > 1;
  if (moves || !lessMotion.matches) requestAnimationFrame(frame);
  else rest = window.setTimeout(nextFrame, 250);
}

function nextFrame() {
  rest = 0;
  requestAnimationFrame(frame);
}

function endRest() {
  if (rest === 0) return;
  clearTimeout(rest);
  lastFrame = performance.now();
  nextFrame();
}

start.addEventListener('click', newRound);
element('canvas').addEventListener('pointerdown', drop);
addEventListener('keydown', (event) => {
  if (event.repeat || !overlay.hidden || (event.key !== ' ' && event.key !== 'Enter')) return;
  event.preventDefault();
  drop();
});
// Messages that rules post with PostWindowMessage arrive here from the launcher, in the format of basement.fun.
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return;
  // The player has joined a friend in the launcher.
  if (data?.source === 'gantry' && data.type === 'GANTRY_JOIN') join(String(data.connect), String(data.from));
  if (data?.source !== 'basement') return;
  const { ruleActionType, data: record } = data.payload ?? {};
  if (ruleActionType === 'PostWindowMessage' && typeof record?.message === 'string') showNote(record.message);
});

requestAnimationFrame(frame);
const saved = await cloud.load();
best = saved?.best ?? 0;
showScores();
if (saved?.round) resume(saved.round);
tellFriends();
