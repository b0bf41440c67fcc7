import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanedNameText, nameText } from '../../src/core/schemas/names.ts';

const name = nameText(0, 40);
const cleanedName = cleanedNameText(0, 40);

const usual: [description: string, sent: string, stored?: string][] = [
  ['a name of two words', 'Ada Lovelace'],
  ['spaces at both ends and between', '  Ada \u00a0\u3000 Lovelace\t', 'Ada Lovelace'],
  ['a line break and a byte order mark at the ends', '\ufeffAda\r\n', 'Ada'],
  ['a zero-width space at the end', 'Ada\u200b', 'Ada'],
  ['combining marks', 'Ele\u0301na', 'El\u00e9na'],
  ['letters in full width, kept as they are', 'Ａｄａ²'],
  ['signs', '100% "Ada" <3 \\o/ $_$'],
  ['a joined emoji', '👨‍👩‍👧'],
  ['a joined emoji with a skin tone', '👩🏽‍🚀 Ada'],
  ['a joined emoji without variation selectors', '👁‍🗨'],
  ['a rainbow flag', '🏳️‍🌈'],
  ['the flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a keycap and a heart', '1️⃣ I❤️U'],
  ['Persian with a non-joiner', 'می‌خواهم'],
  ['Malayalam that ends with a joiner', 'അനില്‍'],
  ['Sinhala with a joiner', 'ශ්‍රී'],
  ['Hindi with a non-joiner', 'क्‌ष'],
  ['Japanese with a variant of an ideograph', '葛\u{e0100}飾'],
  ['Mongolian with a vowel separator', 'ᠮᠣᠩ\u180eᠠ'],
  ['Braille with its space', '⠁⠙⠁\u2800⠇', '⠁⠙⠁ ⠇'],
  ['nothing', ''],
];

const hostile: [description: string, sent: string, codePoint: string, cleaned: string][] = [
  ['a zero-width space', 'A\u200bda', 'U+200B', 'Ada'],
  ['nothing but a zero-width space', '\u200b', 'U+200B', ''],
  ['nothing but a Hangul filler', '\u3164\u3164', 'U+3164', ''],
  ['a right-to-left override', 'Ada\u202egnp.exe', 'U+202E', 'Adagnp.exe'],
  ['a right-to-left isolate', '\u2067Ada', 'U+2067', 'Ada'],
  ['a right-to-left mark', 'Ada\u200f', 'U+200F', 'Ada'],
  ['a line break', 'Ada\nGrace', 'U+000A', 'Ada Grace'],
  ['a line separator', 'Ada\u2028Grace', 'U+2028', 'Ada Grace'],
  ['NUL', 'Ada\0', 'U+0000', 'Ada'],
  ['an escape sequence', '\u001b[31mAda', 'U+001B', '[31mAda'],
  ['a soft hyphen', 'A\u00adda', 'U+00AD', 'Ada'],
  ['a private character', 'Ada\ue000', 'U+E000', 'Ada'],
  ['an unassigned character', 'Ada\u0378', 'U+0378', 'Ada'],
  ['a noncharacter', 'Ada\uffff', 'U+FFFF', 'Ada'],
  ['a joiner between Latin letters', 'A\u200dda', 'U+200D', 'Ada'],
  ['two joiners in an emoji', '👩\u200d\u200d🚀', 'U+200D', '👩🚀'],
  ['tags outside of a flag', 'Ada\u{e0041}\u{e0042}', 'U+E0041', 'Ada'],
  ['a variation selector after a letter', 'A\ufe0fda', 'U+FE0F', 'Ada'],
];

const blank: [description: string, sent: string][] = [
  ['spaces', '  \u00a0 '],
  ['a Braille blank', '\u2800'],
  ['a null notehead', '\u{1d159}'],
  ['a blank hieroglyph', '\u{13441}'],
  ['a combining mark', '\u0301'],
];

describe('a name', () => {
  test.each(usual)('may be %s', (_, sent, stored = sent) => {
    expect(name.parse(sent)).toBe(stored);
    expect(cleanedName.parse(sent)).toBe(stored);
  });

  test.each(hostile)(
    'with %s is refused by the code point, or cleaned of it',
    (_, sent, codePoint, cleaned) => {
      const { error } = name.safeParse(sent);
      expect(error?.issues[0]?.message).toBe(
        `must not contain ${codePoint}: a control, invisible, private or unassigned character`,
      );
      expect(cleanedName.parse(sent)).toBe(cleaned);
    },
  );

  test.each(blank)('of nothing but %s is refused, or counts as empty', (_, sent) => {
    expect(name.safeParse(sent).error?.issues.map(({ message }) => message)).toEqual([
      'must have a visible character',
    ]);
    expect(cleanedName.parse(sent)).toBe('');
  });

  test('with half of a surrogate pair is refused, or cleaned of it', () => {
    expect(name.safeParse('Ada\ud83d').success).toBe(false);
    expect(cleanedName.parse('Ada\ud83d')).toBe('Ada');
  });

  test('is as long as its normal form, in code points', () => {
    expect(name.parse(` ${'e\u0301'.repeat(40)} `)).toBe('\u00e9'.repeat(40));
    expect(name.safeParse('\u00e9'.repeat(41)).success).toBe(false);
    expect(name.safeParse('👩'.repeat(40)).success).toBe(true);
  });

  test('of any characters is accepted in its stored form again, or refused', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('a', 'ن', 'क', '\u094d', '👩', '\u200c', '\u200d', '\ufe0f', ' ', '\u0301'),
      }),
    );
    fc.assert(
      fc.property(texts, (sent) => {
        for (const schema of [name, cleanedName]) {
          const parsed = schema.safeParse(sent);
          if (parsed.success) expect(name.parse(parsed.data)).toBe(parsed.data);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
