/** Maximum nesting of arrays and objects in input; 20,000 levels fit in 40 KB and overflow the stack. */
export const maxDepth = 32;

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const openBrace = 0x7b;

const opens = 1;
const closes = 2;
const beginsString = 3;

/** The meaning of each byte outside of strings, as a lookup table; 0 for most. */
const meanings = new Uint8Array(256);
meanings[quote] = beginsString;
for (const open of [openBracket, openBrace]) {
  meanings[open] = opens;
  meanings[open + 2] = closes; // in ASCII, ] and } come two after [ and {
}

/**
 * Whether JSON text, as UTF-8, nests deeper than `deepest`, found in one pass without parsing. Brackets inside
 * strings do not count; for text that is not JSON the result is arbitrary, and the parser reports the error.
 */
export function jsonNestsTooDeep(json: Buffer, deepest = maxDepth): boolean {
  // Fast path: most inputs are flat objects, and `includes` is much faster than inspecting each byte.
  if (!json.includes(openBracket) && !json.includes(openBrace, 1)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const meaning = meanings[json[at] as number];
    if (meaning === 0) continue;
    if (meaning === beginsString) at = endOfString(json, at);
    else if (meaning === closes) depth--;
    else if (++depth > deepest) return true;
  }
  return false;
}

/** The index of the closing quote of the string that begins at `from`. */
function endOfString(json: Buffer, from: number): number {
  let at = from + 1;
  for (; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++;
  return at;
}

/** Whether a parsed value nests deeper than `maxDepth`; traverses level by level, so the stack cannot overflow. */
export function valueNestsTooDeep(value: unknown): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/** Whether a value, whose depth must have been checked, contains bytes; Socket.IO can carry them, JSON cannot. */
export function holdsBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || (isContainer(value) && Object.values(value).some(holdsBytes));
}

/** Whether a value, whose depth must have been checked, has a number too large for a double, which is read as infinity. */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return isContainer(value) && Object.values(value).some(holdsInfinity);
}

/** Typed arrays are excluded: iterating over a megabyte of single bytes is slow. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
