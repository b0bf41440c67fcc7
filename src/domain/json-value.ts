/** The deepest nesting of arrays and objects that is taken in; 20,000 levels fit in 40 KB and overflow stacks. */
export const maximumDepth = 32;

/**
 * Whether JSON text nests deeper than `maximumDepth`, found in one pass without parsing. Brackets inside
 * strings do not count; text that is not JSON gets some answer, and the parser then says what is wrong.
 */
export function textNestsTooDeep(json: string): boolean {
  // Most are flat objects, and looking for a character is much faster than looking at each.
  if (!json.includes('[') && !json.includes('{', 1)) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === 0x5c /* \ */) at++;
      else if (code === 0x22 /* " */) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      if (++depth > maximumDepth) return true;
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) depth--;
  }
  return false;
}

/** Whether a parsed value nests deeper than `maximumDepth`; walks level by level, so it never overflows. */
export function valueNestsTooDeep(value: unknown): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maximumDepth) return true;
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
