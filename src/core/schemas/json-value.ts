/** The deepest nesting of arrays and objects that is taken in; 20,000 levels fit in 40 KB and overflow stacks. */
export const maxDepth = 32;

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const openBrace = 0x7b;

const opens = 1;
const closes = 2;
const beginsString = 3;

/** What each byte means outside of strings; most mean nothing, and one look at a table tells. */
const meanings = new Uint8Array(256);
meanings[quote] = beginsString;
for (const open of [openBracket, openBrace]) {
  meanings[open] = opens;
  meanings[open + 2] = closes; // in ASCII, ] and } come two after [ and {
}

/**
 * Whether JSON text, as UTF-8, nests deeper than `deepest`, found in one pass without parsing. Brackets inside
 * strings do not count; text that is not JSON gets some answer, and the parser then says what is wrong.
 */
export function jsonNestsTooDeep(json: Buffer, deepest = maxDepth): boolean {
  // Most are flat objects, and looking for a byte is much faster than looking at each.
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

/** Where the string ends that begins at `from`. */
function endOfString(json: Buffer, from: number): number {
  let at = from + 1;
  for (; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++;
  return at;
}

/** Whether a parsed value nests deeper than `maxDepth`; walks level by level, so it never overflows. */
export function valueNestsTooDeep(value: unknown): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/** Whether bytes are anywhere in a value that does not nest too deep; Socket.IO carries them, JSON does not. */
export function holdsBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || (isContainer(value) && Object.values(value).some(holdsBytes));
}

/** Bytes hold nothing: looking through a megabyte of them one by one takes a while. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
