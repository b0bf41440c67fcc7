import { GantryError } from '../errors.ts';

/** A shorter whole number is never rounded: a double keeps 15 significant digits. */
const leastDigits = 16;

const minus = 0x2d;
const plus = 0x2b;
const letterE = 0x65;
const colon = 0x3a;
const comma = 0x2c;
const openBracket = 0x5b;
const space = 0x20;

/** Names and indexes on the way to a value. */
type Path = readonly (string | number)[];

/**
 * Refuses whole numbers that `JSON.parse` rounds, such as the id 76561198012345679, of which it makes 76561198012345680:
 * RFC 7493 (I-JSON), section 2.2, recommends strings for them. Fractions may be rounded, and 1e17 is exact. `json` is the
 * valid JSON of an input, an object; `depth`: how many lists it is in.
 * @throws GantryError `number_not_exact`
 */
export function refuseRoundedInput(json: string, depth = 0): void {
  if (!mayHaveRoundedNumber(json)) return;
  const found = roundedNumberIn(json);
  if (found) throw notExact(String(found.path[depth] ?? ''), found.path.slice(depth + 1), found.written);
}

/**
 * The same for the JSON sent as text in a field. Reads all of it: call this only if its value has a number beyond
 * ±(2^53 − 1).
 * @throws GantryError `number_not_exact`
 */
export function refuseRoundedText(json: string, field: string): void {
  const found = roundedNumberIn(json);
  if (found) throw notExact(field, found.path, found.written);
}

function notExact(field: string, path: Path, written: string): GantryError {
  const number = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  const message =
    `${path.length === 0 ? '' : `${jsonPath(path)} `}is ${number}, which would be rounded to ${Number(written)}: ` +
    'send it as a string, or as that number';
  return new GantryError('number_not_exact', `${field}: ${message}`, { fields: [{ path: field, message }] });
}

/** RFC 9535, in the short notation: `$.hero.items[0]`. */
function jsonPath(path: Path): string {
  const segments = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[a-z_]\w*$/i.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return `$${segments.join('')}`;
}

/**
 * Whether the text has a run of digits that would be such a number outside of a string. Only every 16th character is
 * inspected where there are no digits: a kilobyte takes about 0.1 µs.
 */
function mayHaveRoundedNumber(json: string): boolean {
  let at = leastDigits - 1;
  while (at < json.length) {
    if (!isDigitOrPoint(json.charCodeAt(at))) {
      at += leastDigits;
      continue;
    }
    let before = at - 1;
    while (before > at - leastDigits && isDigitOrPoint(json.charCodeAt(before))) before--;
    if (before > at - leastDigits) {
      at = before + leastDigits;
      continue;
    }
    while (isDigitOrPoint(json.charCodeAt(before))) before--;
    let end = at + 1;
    while (isDigitOrPoint(json.charCodeAt(end))) end++;
    if (beginsNumber(json, before) && isRounded(json.slice(before + 1, endOfNumber(json, end)))) return true;
    at = end + leastDigits;
  }
  return false;
}

/** Includes the slash, which is not in a number either way. */
function isDigitOrPoint(code: number): boolean {
  return code >= 0x2e && code <= 0x39;
}

/** Whether a number may begin after this character: not in most strings. */
function beginsNumber(json: string, before: number): boolean {
  const code = json.charCodeAt(json.charCodeAt(before) === minus ? before - 1 : before);
  return code === colon || code === comma || code === openBracket || code <= space || Number.isNaN(code);
}

/** The end of a number's text, given an index in it. */
function endOfNumber(json: string, from: number): number {
  let at = from;
  for (; ; at++) {
    const code = json.charCodeAt(at);
    if (!isDigitOrPoint(code) && code !== minus && code !== plus && (code | 0x20) !== letterE) return at;
  }
}

/** The first such number in JSON text, and its path. */
function roundedNumberIn(json: string): { path: Path; written: string } | null {
  /** Indexes, and names as JSON. */
  const path: (string | number)[] = [];
  let isName = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '{' || character === '[') {
      isName = character === '{';
      path.push(isName ? '' : 0);
    } else if (character === '}' || character === ']') path.pop();
    else if (character === ',') {
      const last = path.at(-1);
      isName = typeof last === 'string';
      if (typeof last === 'number') path[path.length - 1] = last + 1;
    } else if (character === '"') {
      const end = endOfString(json, at);
      if (isName) path[path.length - 1] = json.slice(at, end);
      isName = false;
      at = end - 1;
    } else if (character === '-' || isDigitOrPoint(json.charCodeAt(at))) {
      const end = endOfNumber(json, at);
      const written = json.slice(at, end);
      if (isRounded(written)) {
        return { path: path.map((part) => (typeof part === 'string' ? JSON.parse(part) : part)), written };
      }
      at = end - 1;
    }
  }
  return null;
}

/** The index after the closing quote of the string that begins at `from`. */
function endOfString(json: string, from: number): number {
  for (let at = from; ; ) {
    at = json.indexOf('"', at + 1);
    if (at === -1) return json.length;
    let escapes = 0;
    while (json[at - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}

/** Whether a number, as written in JSON, is whole and has other digits once it was read. */
function isRounded(written: string): boolean {
  if (written.length < leastDigits || hasFraction(written)) return false;
  const exact = decimalOf(written);
  if (!exact || exact.digits === '' || exact.exponent < 0) return false;
  const read = decimalOf(String(Number(written)));
  return read?.digits !== exact.digits || read.exponent !== exact.exponent;
}

/** Whether a number certainly has a fraction; cheap, because games' states are full of such numbers. */
function hasFraction(written: string): boolean {
  return written.includes('.') && !written.endsWith('0') && !written.includes('e') && !written.includes('E');
}

/** The value of a decimal number is `digits` × 10 ^ `exponent`, without leading or trailing zeros; null: not finite. */
function decimalOf(written: string): { digits: string; exponent: number } | null {
  const [, whole, fraction = '', exponent = '0'] = decimal.exec(written) ?? [];
  if (whole === undefined) return null;
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  while (from < to && all[from] === '0') from++;
  while (to > from && all[to - 1] === '0') to--;
  return { digits: all.slice(from, to), exponent: Number(exponent) - fraction.length + all.length - to };
}

const decimal = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
