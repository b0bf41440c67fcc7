/**
 * The position of the value at a path in a JSON text: `['0', 'actions', '1']` in `[{"actions":[…]}]`. When the path
 * does not exist, the position of its deepest existing ancestor. The text must be JSON.
 * @param {string} text
 * @param {readonly string[]} path
 * @returns {{ start: number, end: number }} offsets in UTF-16 units
 */
export function positionOf(text, path) {
  const scanner = new Scanner(text);
  scanner.space();
  return scanner.find(path);
}

/** The line of an offset, counted from 1. @param {string} text @param {number} offset */
export function lineOf(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

/** Skips over values without parsing them. */
class Scanner {
  #text;
  #at = 0;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  /**
   * @param {readonly string[]} path
   * @returns {{ start: number, end: number }}
   */
  find(path) {
    const start = this.#at;
    const [wanted, ...rest] = path;
    const isObject = this.#text[start] === '{';
    if (wanted === undefined || !(isObject || this.#text[start] === '[')) {
      this.#value();
      return { start, end: this.#at };
    }
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.space();
      if (/[\]}]/.test(this.#text[this.#at] ?? ']')) break;
      const key = isObject ? this.#key() : String(index);
      if (key === wanted) return this.find(rest);
      this.#value();
      this.space();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    return { start, end: start + 1 };
  }

  space() {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  /** @returns {string} */
  #key() {
    const start = this.#at;
    this.#string();
    const key = JSON.parse(this.#text.slice(start, this.#at));
    this.space();
    this.#at += 1; // the colon
    this.space();
    return key;
  }

  #string() {
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at += 1;
  }

  #value() {
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (first !== '{' && first !== '[') {
      while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? ',')) this.#at += 1;
      return;
    }
    let depth = 0;
    do {
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#string();
        continue;
      }
      if (character === '{' || character === '[') depth += 1;
      if (character === '}' || character === ']') depth -= 1;
      this.#at += 1;
    } while (depth > 0 && this.#at < this.#text.length);
  }
}
