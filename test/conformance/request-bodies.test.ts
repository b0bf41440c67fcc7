import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Reason } from '../../src/core/errors.ts';
import { apiOf } from '../support/api.ts';
import { accepted, refused } from '../support/outcome.ts';
import { scoreRecord, succeeded } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const { launcherJwt } = await server.openSession(gameId);

const newScore = succeeded({ newScore: scoreRecord });
const good = { launcherJwt, score: 5 };

const setScore = { 'X-Service-Method': 'setUserScore' };
const bodyPaths: [string, Record<string, string>][] = [
  ['/launcher/set-user-score', {}],
  ['/launcher', setScore],
  ['/launcher/', setScore],
];

describe.each(bodyPaths)('a JSON body on POST %s', (path, headers) => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
  ])('is read under Content-Type %s', async (type) => {
    const body = JSON.stringify(good);
    const answer = await api.request(path, {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Type': type },
    });
    expect(accepted(answer, newScore).newScore.score).toBe(5);
  });

  it.each([
    ['encoded as a whole, as by Unity', encodeURIComponent],
    [
      'encoded with a plus for each space',
      (json: string) => encodeURIComponent(` ${json}`.trim()).replaceAll('%20', '+'),
    ],
  ])('is read %s', async (_, encode) => {
    const body = encode(JSON.stringify({ ...good, nonce: 'a + b = ü' }));
    const sent = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const { newScore: record } = accepted(
      await api.request(path, { method: 'POST', body, headers: sent }),
      newScore,
    );
    expect(record).toMatchObject({ score: 5, nonce: 'a + b = ü' });
  });

  it('may be the fields of a form', async () => {
    const post = (fields: Record<string, string>) =>
      api.request(path, { method: 'POST', body: new URLSearchParams({ launcherJwt, ...fields }), headers });
    const { newScore: record } = accepted(await post({ score: '-5', nonce: '7', label: '' }), newScore);
    expect(record).toMatchObject({ score: -5, nonce: '7' });
    refused(
      await post({ score: 'many' }),
      400,
      path === '/launcher/set-user-score' ? 'score_not_integer' : 'score_not_finite',
    );
    refused(await post({ score: '76561198012345679' }), 400, 'number_not_exact', 'score');
    refused(await post({ score: '1', toString: 'x' }), 400, 'input_invalid', 'toString');
  });

  it('is read without a Content-Type', async () => {
    const body = new TextEncoder().encode(JSON.stringify(good)); // fetch sets no type for bytes
    accepted(await api.request(path, { method: 'POST', body, headers }), newScore);
  });

  it('may contain line breaks, and characters in UTF-8 or escaped', async () => {
    const body = `\n{ "launcherJwt" : "${launcherJwt}",\n "score": 1, "nonce": "\\u00fcn\\ud83c\\udfb2ü🎲" }\n`;
    const { newScore: record } = accepted(
      await api.request(path, { method: 'POST', body, headers }),
      newScore,
    );
    expect(record.nonce).toBe('ün🎲ü🎲');
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>, Reason]>([
    ['text that is not JSON', 'score=5', 'body_not_json'],
    ['JSON cut short', JSON.stringify(good).slice(0, -1), 'body_not_json'],
    ['two JSON values', '{}{}', 'body_not_json'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'body_not_json'],
    ['an array', JSON.stringify([good]), 'body_not_object'],
    ['a string', '"text"', 'body_not_object'],
    ['a number', '7', 'body_not_object'],
    ['null', 'null', 'body_not_object'],
    [
      '33 levels',
      `{"launcherJwt":"${launcherJwt}","score":${'['.repeat(32)}${']'.repeat(32)}}`,
      'body_too_deep',
    ],
    ['20,000 levels', `{"score":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'body_too_deep'],
    ['20,000 levels never closed', '['.repeat(20_000), 'body_too_deep'],
  ])('is refused when it is %s', async (_what, body, reason) => {
    refused(await api.request(path, { method: 'POST', body, headers }), 400, reason);
  });

  it('counts as an empty object when it is missing', async () => {
    refused(await api.request(path, { method: 'POST', headers }), 401, 'token_missing');
  });

  it('may nest 32 levels', async () => {
    const body = `{"launcherJwt":"${launcherJwt}","score":${'['.repeat(31)}${']'.repeat(31)}}`;
    const { data } = refused(
      await api.request(path, { method: 'POST', body, headers }),
      400,
      scoreReason(path),
    );
    expect(data.reason).not.toBe('body_too_deep');
  });

  it('is refused with an unknown encoding', async () => {
    const encoding = { ...headers, 'Content-Encoding': 'morse' };
    refused(
      await api.request(path, { method: 'POST', body: '...', headers: encoding }),
      400,
      'body_not_json',
    );
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is accepted when compressed with %s, and refused when truncated', async (name, pack) => {
    const packed = pack(Buffer.from(JSON.stringify(good)));
    const encoding = { ...headers, 'Content-Encoding': name };
    const send = (body: Uint8Array<ArrayBuffer>) =>
      api.request(path, { method: 'POST', body, headers: encoding });
    expect((await send(new Uint8Array(packed))).status).toBe(200);
    refused(await send(new Uint8Array(packed.subarray(0, packed.length >> 1))), 400, 'body_not_json');
  });

  it('is refused when a few bytes expand to very many', async () => {
    const packed = new Uint8Array(brotliCompressSync(Buffer.alloc(1_900_000, ' ')));
    expect(packed.length).toBeLessThan(100);
    const encoding = { ...headers, 'Content-Encoding': 'br' };
    const answer = await api.request(path, { method: 'POST', body: packed, headers: encoding });
    expect(refused(answer, 413, 'body_too_large').error).toMatch(
      /decompresses to more than 100 times its size/,
    );
  });

  it('is accepted up to 2 MB and refused with 413 one byte beyond', async () => {
    const empty = JSON.stringify({ ...good, score: '' });
    const ofBytes = (bytes: number) => JSON.stringify({ ...good, score: 'a'.repeat(bytes - empty.length) });
    const limit = 2 * 1024 * 1024;
    refused(
      await api.request(path, { method: 'POST', body: ofBytes(limit), headers }),
      400,
      scoreReason(path),
    );
    const tooLarge = await api.request(path, { method: 'POST', body: ofBytes(limit + 1), headers });
    refused(tooLarge, 413, 'body_too_large');
  });

  it('does not treat its own __proto__ as fields', async () => {
    const body = `{"__proto__":${JSON.stringify(good)}}`;
    refused(await api.request(path, { method: 'POST', body, headers }), 401, 'token_missing');
  });
});

const scoreReason = (path: string): Reason =>
  path === '/launcher/set-user-score' ? 'score_not_integer' : 'score_not_finite';
