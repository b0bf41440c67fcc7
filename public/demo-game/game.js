/**
 * Stack: a game of about a minute, and example code to copy for a game that runs in a Gantry launcher. The first half
 * contains all calls to Gantry, the second half is the game.
 */

/** Gantry's URL. Gantry serves this game; a game hosted elsewhere would set `https://gantry.example`. */
const gantry = location.origin;

/** @typedef {import('gantry-client').GantryClient} Client */
/** The player's connection; null when there is none: the game runs, but saves nothing. @type {Promise<Client | null>} */
const connecting = signIn().catch(() => {
  showNote('Gantry is not available: nothing is saved');
  return null;
});

/**
 * Connects the launcher's player when a launcher has opened the game, otherwise a guest, the same one at every visit.
 * @returns {Promise<Client>}
 */
async function signIn() {
  // Elsewhere: import { connect } from 'https://gantry.example/client.js';
  /** @type {typeof import('gantry-client')} */
  const { connect } = await import(`${gantry}/client.js`);
  // Calls over HTTP do not depend on the live connection.
  const client = await connect({ url: gantry, game: 'demo-game', callOver: 'http' });
  client.onStatus((status) => {
    if (status.state === 'ended') showNote('Your session has ended: progress is not saved any more');
  });
  element('player').textContent = client.player?.username ?? '';
  // What the player's friends are doing, in this game. Without an answer, the game has no friends to show.
  client.friends.follow(({ friends }) => showFriends(friends)).catch(() => {});
  // An invite to this game that the player has accepted, in a launcher or on another device.
  client.on('game-joins requested', ({ connect, from }) => join(connect, from));
  return client;
}

/**
 * Calls Gantry when the player is signed in. The game continues without a response: a failure here does not stop a
 * round, and the next call sends the current state again.
 * @template Result
 * @param {(client: Client) => Promise<Result>} use
 * @returns {Promise<Result | null>} null when there is no player, no response, or an error
 */
async function call(use) {
  const client = await connecting;
  try {
    return client && (await use(client));
  } catch (error) {
    // Programs branch on `reason`; `message` is for people.
    const { reason, message } = /** @type {import('gantry-client').GantryError} */ (error);
    if (reason === 'rate_limited') showNote('Too many requests, slow down');
    else if (reason === 'connection_lost') showNote('Offline: progress is not saved right now');
    else showNote(message);
    return null;
  }
}

/**
 * Every call this game makes to Gantry.
 */
const cloud = {
  /**
   * What was saved under this label, here or on another device.
   * @returns {Promise<Saved | null>}
   */
  async load() {
    const result = await call(({ api }) => api.getStates({ label: 'progress' }));
    return /** @type {Saved | undefined} */ (result?.states[0]?.state) ?? null;
  },

  /**
   * A state is any JSON, sent as text. Setting the same label again replaces it.
   * @param {Saved} saved
   */
  save(saved) {
    return call(({ api }) => api.setState({ label: 'progress', state: JSON.stringify(saved) }));
  },

  /**
   * The leaderboard shows each player's best. With the round's id as the nonce, sending the same score twice is
   * idempotent. The leaderboard `weekly` starts a new season every Monday, and shows the score's metadata: how high the
   * stack was. A queued call waits until there is a connection.
   * @param {Round} round
   */
  score(round) {
    const score = { score: round.score, nonce: round.id };
    const metadata = { containers: round.stack.length - 1 };
    return Promise.all([
      call((client) => client.queue('setUserScore', score)),
      call((client) => client.queue('setUserScore', { ...score, leaderboard: 'weekly', metadata })),
    ]);
  },

  /**
   * The first call starts a play session, later ones update it, one with `endTime` ends it.
   * @param {Round} round
   * @param {number} [endTime]
   */
  track(round, endTime) {
    const state = JSON.stringify({ score: round.score, containers: round.stack.length - 1 });
    const end = endTime === undefined ? {} : { endTime };
    return call(({ api }) => api.trackGameSessions({ sessionId: round.id, state, ...end }));
  },

  /**
   * Reports a game event; its effects (in the demo, a notification and an activity) are defined by the game's rules, which
   * the operator can change. The nonce makes it run once per round.
   * @param {Round} round
   */
  win(round) {
    return call(({ api }) =>
      api.triggerRulesEngine({ trigger: 'win', value: round.score, nonce: `win-${round.id}` }),
    );
  },

  /**
   * A line of the public feed. Gantry fills in the player's name when it is read.
   * @param {number} score
   */
  announceRecord(score) {
    return call(({ api }) =>
      api.sendCustomActivity({
        label: `{username} stacked a new best: ${score}`,
        eventId: 'personal-best',
      }),
    );
  },

  /**
   * What friends see of the player, and how they can join: `connect` is for this game only, the name of the race here.
   * It ends when the game is closed.
   * @param {{ details: string, score: number, race: string, size: number }} shown
   */
  show({ details, score, race, size }) {
    const group = { id: race, size, max: mostInRace };
    return call(({ api }) =>
      api.setRichPresence({ details, values: { score: String(score) }, group, connect: race }),
    );
  },

  /**
   * The scores of the player and the friends, best first.
   * @param {readonly Friend[]} friends
   */
  async scoresAmong(friends) {
    const answer = await call(({ api, player }) =>
      api.getLeaderboardAmong({
        gameId: 'demo-game',
        wallets: [player?.wallet ?? '', ...friends.map(({ wallet }) => wallet)].slice(0, mostCompared),
      }),
    );
    return answer?.leaderboard ?? [];
  },

  /**
   * Invites a friend, who gets `connect` by accepting.
   * @param {string} wallet
   * @param {string} race
   */
  async invite(wallet, race) {
    const answer = await call(({ api }) => api.sendInvite({ wallets: [wallet], connect: race }));
    return answer !== null && answer.refused.length === 0;
  },
};

// ---------------------------------------------------------------------------------------------------------
// The game.

/**
 * @typedef {{ x: number, width: number, hue: number }} Container `x` is its left edge, in units of the world
 * @typedef {{ id: string, score: number, streak: number, stack: Container[], won: boolean }} Round
 * @typedef {{ best: number, round: Round | null }} Saved
 * @typedef {import('gantry-client').FollowedFriend} Friend
 */

const world = 360; // the width of the world, in units; it always fits the window
const height = 30; // of a container
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
const mostInRace = 4;
const mostCompared = 100;
const hues = [18, 205, 145, 42, 265, 345, 185];

/**
 * An element of index.html.
 * @template {HTMLElement} [Element=HTMLElement]
 * @param {string} id
 * @returns {Element}
 */
const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return /** @type {Element} */ (found);
};
/** @type {HTMLCanvasElement} */
const canvas = element('canvas');
const overlay = element('overlay');
const title = element('title');
const text = element('text');
const start = element('start');
const note = element('note');
const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));

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
let race = crypto.randomUUID();
/** @type {readonly Friend[]} */
let friends = [];

function newRound() {
  round = { id: crypto.randomUUID(), score: 0, streak: 0, stack: [base()], won: false };
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

function draw() {
  const ratio = devicePixelRatio;
  const { clientWidth, clientHeight } = canvas;
  if (
    canvas.width !== Math.round(clientWidth * ratio) ||
    canvas.height !== Math.round(clientHeight * ratio)
  ) {
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(clientHeight * ratio);
  }
  // The whole world fits the window, whatever its shape.
  const scale = Math.min(clientWidth / (world + 40), clientHeight / 420);
  const dark = isDark();
  const toX = (/** @type {number} */ x) => clientWidth / 2 + (x - world / 2) * scale;
  const toY = (/** @type {number} */ y) => clientHeight - 70 * scale - (y - camera) * scale;

  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const sky = pen.createLinearGradient(0, 0, 0, clientHeight);
  sky.addColorStop(0, dark ? '#0d1722' : '#cfe4ee');
  sky.addColorStop(1, dark ? '#1f3140' : '#f6eddc');
  pen.fillStyle = sky;
  pen.fillRect(0, 0, clientWidth, clientHeight);

  // The ship with its hold.
  pen.fillStyle = dark ? '#7a3b2e' : '#a8513c';
  pen.beginPath();
  pen.moveTo(toX(8), toY(0));
  pen.lineTo(toX(352), toY(0));
  pen.lineTo(toX(330), toY(-48));
  pen.lineTo(toX(36), toY(-48));
  pen.fill();
  pen.fillStyle = dark ? '#d8dde1' : '#f4efe6';
  pen.fillRect(toX(11), toY(-6), 338 * scale, 4 * scale);
  const stack = round?.stack ?? [base()];
  stack.forEach(({ x, width, hue }, index) => {
    drawContainer(
      toX(x),
      toY((index + 1) * height),
      width * scale,
      height * scale,
      index === 0 ? null : hue,
      dark,
    );
  });
  for (const { x, y, width, hue, turn } of pieces) {
    pen.save();
    pen.translate(toX(x + width / 2), toY(y + height / 2));
    pen.rotate(turn);
    drawContainer((-width * scale) / 2, (-height * scale) / 2, width * scale, height * scale, hue, dark);
    pen.restore();
  }
  drawSea(toY(-30), clientWidth, clientHeight, dark);
  drawCrane(toX, toY, scale, clientWidth, dark);
}

/**
 * @param {(x: number) => number} toX
 * @param {(y: number) => number} toY
 * @param {number} scale
 * @param {number} clientWidth
 * @param {boolean} dark
 */
function drawCrane(toX, toY, scale, clientWidth, dark) {
  const beam = toY(hangingHeight() + height + 42);
  pen.fillStyle = dark ? '#8b97a2' : '#37424c';
  pen.fillRect(0, beam, clientWidth, 7 * scale);
  pen.fillRect(toX(-14), beam, 7 * scale, canvas.clientHeight);
  pen.fillRect(toX(world + 7), beam, 7 * scale, canvas.clientHeight);
  if (!round) return;
  const middle = toX(load.x + load.width / 2);
  pen.fillRect(middle - 13 * scale, beam + 7 * scale, 26 * scale, 8 * scale);
  if (!load.falling) {
    pen.fillRect(middle - 1 * scale, beam + 14 * scale, 2 * scale, 28 * scale);
  }
  drawContainer(toX(load.x), toY(load.y + height), load.width * scale, height * scale, load.hue, dark);
}

/**
 * @param {number} x of its left edge, in pixels
 * @param {number} y of its top
 * @param {number} width
 * @param {number} tall
 * @param {number | null} hue null is the hold
 * @param {boolean} dark
 */
function drawContainer(x, y, width, tall, hue, dark) {
  const saturation = hue === null ? 6 : 52;
  const lightness = dark ? 44 : 52;
  pen.fillStyle = `hsl(${hue ?? 215} ${saturation}% ${lightness}%)`;
  pen.beginPath();
  pen.roundRect(x, y, width, tall, Math.min(3, width / 2));
  pen.fill();
  pen.fillStyle = `hsl(${hue ?? 215} ${saturation}% ${lightness - 9}%)`;
  const step = tall / 3;
  for (let at = step / 2; at + step / 3 < width; at += step) {
    pen.fillRect(x + at, y + tall * 0.14, step / 3, tall * 0.72);
  }
}

/**
 * @param {number} level
 * @param {number} clientWidth
 * @param {number} clientHeight
 * @param {boolean} dark
 */
function drawSea(level, clientWidth, clientHeight, dark) {
  if (level > clientHeight) return;
  pen.fillStyle = dark ? 'rgb(18 50 71 / 92%)' : 'rgb(91 147 171 / 92%)';
  pen.beginPath();
  pen.moveTo(0, clientHeight);
  for (let x = 0; x < clientWidth + 8; x += 8) {
    pen.lineTo(x, level + Math.sin(x / 40 + (lessMotion.matches ? 0 : lastFrame / 900)) * 3);
  }
  pen.lineTo(clientWidth, clientHeight);
  pen.fill();
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

/** @param {number} now */
function frame(now) {
  // Limits the step after the tab was in the background.
  move(Math.min(0.05, (now - lastFrame) / 1000));
  lastFrame = now;
  draw();
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
canvas.addEventListener('pointerdown', drop);
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
