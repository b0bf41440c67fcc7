import { randomUUID } from 'node:crypto';
import type { z } from 'zod';

type Json = z.core.util.JSONType;

/** Placeholder for a `JsonText` while JSON is being written; random, so no client can have sent it. */
const placeholder = randomUUID();
const quotedPlaceholder = JSON.stringify(placeholder);

/** The texts collected by the `writeJson` in progress; null outside of `writeJson`. */
let collected: string[] | null = null;

/** A JSON value kept as text, so that a large state is not parsed only to be serialized again. */
class JsonText {
  readonly #text: string;
  #value: { is: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Called by `JSON.stringify`; outside of `writeJson` the text has to be parsed. */
  toJSON(): unknown {
    if (collected) {
      collected.push(this.#text);
      return placeholder;
    }
    this.#value ??= { is: JSON.parse(this.#text) };
    return this.#value.is;
  }
}

/** Wraps JSON text as a value of a response that is only serialized. */
export function asJsonText(json: string): Json {
  return new JsonText(json) as unknown as Json;
}

/** `JSON.stringify`, except that the text of each `asJsonText` is inserted verbatim. */
export function writeJson(value: unknown): string {
  const texts: string[] = [];
  collected = texts;
  let written: string;
  try {
    written = JSON.stringify(value);
  } finally {
    collected = null;
  }
  if (texts.length === 0) return written;
  const [first = '', ...rest] = written.split(quotedPlaceholder);
  return rest.reduce((whole, part, index) => whole + texts[index] + part, first);
}
