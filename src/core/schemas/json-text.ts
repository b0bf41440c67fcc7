import { randomUUID } from 'node:crypto';
import type { z } from 'zod';

type Json = z.core.util.JSONType;

/** Stands in the text that is being written where a `JsonText` goes; nobody can have sent it. */
const mark = randomUUID();
const quotedMark = JSON.stringify(mark);

/** The texts met while one is being written; null: nobody puts them in. */
let met: string[] | null = null;

/** A JSON value of which only the text is wanted: a large state is not parsed to be written out as it was. */
class JsonText {
  readonly #text: string;
  #value: { is: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** For whoever writes JSON with `JSON.stringify`. */
  toJSON(): unknown {
    if (met) {
      met.push(this.#text);
      return mark;
    }
    this.#value ??= { is: JSON.parse(this.#text) };
    return this.#value.is;
  }
}

/** Text that is JSON, as a value in an answer, which is only written out. */
export function asJsonText(json: string): Json {
  return new JsonText(json) as unknown as Json;
}

/** `JSON.stringify`, save that each `asJsonText` in it is put in as it is. */
export function writeJson(value: unknown): string {
  const texts: string[] = [];
  met = texts;
  let written: string;
  try {
    written = JSON.stringify(value);
  } finally {
    met = null;
  }
  if (texts.length === 0) return written;
  const [first = '', ...rest] = written.split(quotedMark);
  return rest.reduce((whole, part, index) => whole + texts[index] + part, first);
}
