/** Prefix of a reference to an input text. Our own texts never start with it; a player's text that does is escaped. */
const referencePrefix = '\u0001';
const escapeMarker = '=';
/** Longer input texts are not replaced in results: no command returns them. */
const maxLength = 16_000;

/** The texts of an input, by field name. */
export type InputTexts = Readonly<Record<string, string>>;

/** For a batch, those of its operations, prefixed with their index. */
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
 * A command's result as JSON, with the texts of the input replaced by references: a player's text is stored in one
 * place only, where it can be unsent and erased. A retry sends the texts again.
 */
export function encodeResult(result: unknown, texts: InputTexts): string {
  const names = new Map(Object.entries(texts).map(([name, text]) => [text, name]));
  const encoded = JSON.stringify(result ?? null, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const name = names.get(value);
    if (name !== undefined) return referencePrefix + name;
    return value.startsWith(referencePrefix) ? referencePrefix + escapeMarker + value : value;
  });
  return encoded;
}

export function decodeResult(encoded: string, texts: InputTexts): unknown {
  return JSON.parse(encoded, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(referencePrefix)) return value;
    if (value.startsWith(referencePrefix + escapeMarker)) return value.slice(2);
    return texts[value.slice(1)];
  });
}
