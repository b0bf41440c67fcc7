/** Begins a text that stands for another one. No text of ours does, and a player's that does is marked as such. */
const mark = '\u0001';
const literal = '=';
/** A longer text of an input is not looked for in results: no command answers it. */
const maxLength = 16_000;

/** The texts of an input, by the names of their fields. */
export type InputTexts = Readonly<Record<string, string>>;

/** Those of a batch are those of its operations. */
export function textsOf(input: object): InputTexts {
  const texts: [string, string][] = [];
  const add = (fields: object, prefix: string) => {
    for (const [name, text] of Object.entries(fields)) {
      if (typeof text === 'string' && text !== '' && text.length <= maxLength)
        texts.push([prefix + name, text]);
    }
  };
  add(input, '');
  if ('operations' in input && Array.isArray(input.operations)) {
    for (const [at, { data }] of input.operations.entries()) add(data, `${at}.`);
  }
  return Object.fromEntries(texts);
}

/**
 * A command's result as JSON, without the texts that came with the input: what a player wrote is kept in one place, where
 * it can be taken back and erased. Who asks again sends them again.
 */
export function encodeResult(result: unknown, texts: InputTexts): string {
  const names = new Map(Object.entries(texts).map(([name, text]) => [text, name]));
  const encoded = JSON.stringify(result ?? null, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const name = names.get(value);
    if (name !== undefined) return mark + name;
    return value.startsWith(mark) ? mark + literal + value : value;
  });
  return encoded;
}

export function decodeResult(encoded: string, texts: InputTexts): unknown {
  return JSON.parse(encoded, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    if (value.startsWith(mark + literal)) return value.slice(2);
    return texts[value.slice(1)];
  });
}
