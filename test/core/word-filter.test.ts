import { describe, expect, test } from 'vitest';
import { filteredMessage, refuseName, wordFilterPolicy } from '../../src/core/schemas/word-filter.ts';

const policy = (words: string[], action: 'mask' | 'reject' = 'mask') =>
  wordFilterPolicy.parse({ words, action });
const masked = (words: string[], message: string) => filteredMessage(policy(words), message, 'content');

describe('the word filter of a game', () => {
  test.each([
    ['a word', ['darn'], 'Oh darn it', 'Oh **** it'],
    ['in any case', ['darn'], 'DaRN!', '****!'],
    ['with accents, composed or not', ['darn'], 'dàrn da\u0300rn', '**** *****'],
    ['an entry with accents', ['dárn'], 'darn', '****'],
    ['in full width, bold and circled letters', ['darn'], 'ｄａｒｎ 𝐝𝐚𝐫𝐧 ⓓⓐⓡⓝ', '**** **** ****'],
    ['a ligature', ['off'], 'oﬀ', '**'],
    ['ß for ss, and a sigma at the end', ['gross', 'ΣΑΣ'], 'groß σας', '**** ***'],
    ['with characters without a width in it', ['darn'], 'da\u200brn d\u00adarn', '***** *****'],
    ['between signs', ['darn'], '(darn),darn_darn', '(****),****_****'],
    ['joined to digits', ['darn'], 'darn1 xX1darn2Xx 2darn', '****1 xX1****2Xx 2****'],
    ['joined to other words by signs', ['darn'], 'oh_darn_it oh.darn oh-darn', 'oh_****_it oh.**** oh-****'],
    [
      'with signs in it',
      ['badword'],
      'bad_word xX.bad-word.Xx b.a.d*w_o_r_d',
      '***_**** xX.***-****.Xx *.*.***_*_*_*',
    ],
    ['an entry with a sign', ['bad_word'], 'bad_word badword bad word', '***_**** ******* *** ****'],
    ['a phrase joined by signs', ['go away'], 'go_away go-away2', '**_**** **-****2'],
    ['a part of a URL', ['darn'], 'https://darn.example/x-darn', 'https://****.example/x-****'],
    ['several times', ['darn'], 'darn darn', '**** ****'],
    ['a phrase, whatever parts its words', ['go away'], 'go away, go - away', '** ****, ** - ****'],
    ['the longest phrase', ['go', 'go far away'], 'go far away, go far', '** *** ****, ** far'],
    ['outside the basic plane', ['𝒳y'], 'a 𝒳y 😀 b', 'a ** 😀 b'],
    ['with digits', ['b00m'], 'b00m boom', '**** boom'],
    ['in Hindi, whose vowels are marks', ['कमल'], 'कमल कमाल', '*** कमाल'],
    ['in Korean', ['바보'], '바보 바보들', '** 바보들'],
  ])('masks %s', (_what, words, message, expected) => {
    expect(masked(words, message)).toBe(expected);
  });

  test.each([
    ['a part of a word', ['ass'], 'a class of grass'],
    ['a phrase in another order', ['go away'], 'away go, goaway'],
    ['a word in the middle of letters', ['ass', 'cat'], 'bass grass_class concatenate scat5'],
    ['a part of an id in a URL', ['ass', 'badword'], 'https://i.example/1ass2-3ass/bad_word'],
    ['a contraction', ['hell', 'cant', 'shell'], "he'll he’ll can't she'll"],
    ['letters with white space between them', ['darn'], 'd a r n, da rn, da\nrn'],
    ['another word with digits', ['darn', '42'], 'd4rn 1421'],
    ['anything without a list', [], 'darn'],
    ['emoji and nothing', ['darn'], '😀 … \u200b'],
  ])('leaves %s alone', (_what, words, message) => {
    expect(masked(words, message)).toBe(message);
  });

  test('refuses, where configured, and a name in any case', () => {
    const refusal = expect.objectContaining({ reason: 'words_not_allowed' });
    expect(() => filteredMessage(policy(['darn'], 'reject'), 'Darn!', 'content')).toThrow(refusal);
    expect(filteredMessage(policy(['darn'], 'reject'), 'fine', 'content')).toBe('fine');
    for (const action of ['mask', 'reject'] as const) {
      expect(() => refuseName(policy(['darn'], action), 'xX Dàrn Xx', 'username')).toThrow(refusal);
      expect(() => refuseName(policy(['darn'], action), 'Darnell', 'username')).not.toThrow();
      expect(() => refuseName(policy(['darn'], action), undefined, 'username')).not.toThrow();
    }
  });

  test('accepts words and phrases of a bounded size, each with something to match', () => {
    for (const words of [[''], ['!!!'], ['\u200b'], ['x'.repeat(61)], Array(501).fill('x')]) {
      expect(wordFilterPolicy.safeParse({ words }).success, JSON.stringify(words).slice(0, 40)).toBe(false);
    }
    expect(wordFilterPolicy.safeParse({ words: Array(500).fill('.*+?^$(') }).success).toBe(false);
    expect(masked(['a.*'], 'abc a')).toBe('abc *'); // not a pattern: a dot separates words
  });

  test('takes time linear in the message, whatever the list and the message', () => {
    const words = Array.from({ length: 500 }, (_, n) => `${'a '.repeat(25)}b${n}`.slice(0, 60));
    const list = policy(words);
    const took = (length: number) => {
      const message = 'a '.repeat(length / 2);
      const from = performance.now();
      for (let n = 0; n < 20; n++) filteredMessage(list, message, 'content');
      return performance.now() - from;
    };
    took(4_000); // compiled
    const [short, long] = [took(4_000), took(64_000)];
    expect(long / short).toBeLessThan(16 * 4); // a quadratic one takes 256 times as long
  });
});
