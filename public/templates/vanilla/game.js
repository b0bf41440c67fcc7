// The game: a canvas and its frames. All about Gantry is in cloud.js.
import { endRound, onPlay, showScore } from './page.js';

const width = 360;
const height = 480;
const basketWidth = 70;
const basketTop = height - 40;
const radius = 14;

const canvas = Object.assign(document.createElement('canvas'), { width, height });
document.getElementById('stage')?.prepend(canvas);
const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));

/** The middle of the basket. */
let basket = width / 2;
/** @type {{ x: number, y: number }[]} */
let stars = [];
let score = 0;
let misses = 3;
let secondsToNext = 0;
let lastFrame = 0;
const pressed = new Set();

addEventListener('keydown', ({ key }) => pressed.add(key));
addEventListener('keyup', ({ key }) => pressed.delete(key));
canvas.addEventListener('pointermove', ({ offsetX }) => moveTo((offsetX * width) / canvas.clientWidth));

onPlay(() => {
  stars = [{ x: basket, y: -radius }]; // the first one falls into the basket
  score = 0;
  misses = 3;
  secondsToNext = 1;
  lastFrame = performance.now();
  showScore(score, misses);
  requestAnimationFrame(frame);
});
draw();

/** @param {number} x */
function moveTo(x) {
  basket = Math.max(basketWidth / 2, Math.min(width - basketWidth / 2, x));
}

/** @param {number} now In milliseconds. */
function frame(now) {
  const seconds = Math.min(0.1, Math.max(0, now - lastFrame) / 1000); // a hidden tab has no frames
  lastFrame = now;
  if (pressed.has('ArrowLeft')) moveTo(basket - 420 * seconds);
  if (pressed.has('ArrowRight')) moveTo(basket + 420 * seconds);
  secondsToNext -= seconds;
  if (secondsToNext <= 0) {
    stars.push({ x: radius + Math.random() * (width - 2 * radius), y: -radius });
    secondsToNext = 8 / (score + 10);
  }
  for (const star of stars) star.y += (260 + 8 * score) * seconds;
  const landed = stars.filter(({ y }) => y >= basketTop);
  stars = stars.filter(({ y }) => y < basketTop);
  for (const { x } of landed) {
    if (Math.abs(x - basket) <= basketWidth / 2 + radius / 2) score += 1;
    else misses -= 1;
  }
  if (landed.length > 0) showScore(score, Math.max(0, misses));
  if (misses > 0) requestAnimationFrame(frame);
  else {
    stars = [];
    endRound(score);
  }
  draw();
}

function draw() {
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = '#ffd54f';
  for (const { x, y } of stars) {
    pen.beginPath();
    for (let corner = 0; corner < 10; corner++) {
      const angle = (corner * Math.PI) / 5;
      const length = corner % 2 === 0 ? radius : radius / 2;
      pen.lineTo(x + length * Math.sin(angle), y - length * Math.cos(angle));
    }
    pen.fill();
  }
  pen.fillStyle = '#8fb4ff';
  pen.fillRect(basket - basketWidth / 2, basketTop, basketWidth, 14);
}
