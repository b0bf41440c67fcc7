/**
 * Draws the game: the ship, the stack, the crane and the sea. Nothing in this file calls Gantry.
 */

/** @typedef {{ x: number, width: number, hue: number }} Container `x` is its left edge, in units of the world */
/**
 * Heights are measured upwards from the hold, in units.
 * @typedef {{
 *   stack: readonly Container[],
 *   load: (Container & { falling: boolean, y: number }) | null,
 *   pieces: readonly (Container & { y: number, turn: number })[],
 *   craneHeight: number,
 *   camera: number,
 *   time: number,
 * }} Scene `load`: the container that hangs from the crane or falls; `pieces`: cut off, falling into the sea; `camera`: how
 *   far the view has moved up; `time`: in ms, which moves the sea
 */

export const world = 360; // the width of the world, in units; it always fits the window
export const height = 30; // of a container

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('canvas'));
const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));

/** @param {Scene} scene */
export function draw({ stack, load, pieces, craneHeight, camera, time }) {
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
  drawSea(toY(-30), time, dark);

  // The crane, with what it holds.
  const beam = toY(craneHeight + height + 42);
  pen.fillStyle = dark ? '#8b97a2' : '#37424c';
  pen.fillRect(0, beam, clientWidth, 7 * scale);
  pen.fillRect(toX(-14), beam, 7 * scale, clientHeight);
  pen.fillRect(toX(world + 7), beam, 7 * scale, clientHeight);
  if (!load) return;
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
 * @param {number} time
 * @param {boolean} dark
 */
function drawSea(level, time, dark) {
  const { clientWidth, clientHeight } = canvas;
  if (level > clientHeight) return;
  pen.fillStyle = dark ? 'rgb(18 50 71 / 92%)' : 'rgb(91 147 171 / 92%)';
  pen.beginPath();
  pen.moveTo(0, clientHeight);
  for (let x = 0; x < clientWidth + 8; x += 8) pen.lineTo(x, level + Math.sin(x / 40 + time / 900) * 3);
  pen.lineTo(clientWidth, clientHeight);
  pen.fill();
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
