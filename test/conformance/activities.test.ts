import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { activityRecord, feedItem, succeeded } from '../support/records.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);

const activity = succeeded({ activity: activityRecord });
const feed = succeeded({
  result: z.strictObject({ pageNumber: z.int(), pageSize: z.int(), data: z.array(feedItem) }),
});

async function send({ launcherJwt }: TestPlayer, label: string, eventId = 'level-up') {
  const body = { launcherJwt, label, eventId };
  return accepted(await api.post('/launcher/send-custom-activity', body), activity).activity;
}

async function read(query: Record<string, string>) {
  return accepted(await api.get(`/activities?${new URLSearchParams(query)}`), feed).result;
}

const textsOf = (items: { displayText: string }[]) => items.map((item) => item.displayText);

describe('send-custom-activity', async () => {
  const { gameId } = await server.createGame();
  const ada = await server.openSession(gameId);

  it('returns the whole record, with the label as sent', async () => {
    const before = Date.now();
    const record = await send(ada, '{username} ({wallet}) found a {thing}', 'treasure');
    expect(record).toMatchObject({
      label: '{username} ({wallet}) found a {thing}',
      normalizedAddress: ada.wallet,
      eventId: 'treasure',
      gameId,
    });
    expect(record.timestamp).toBeGreaterThanOrEqual(before);
    expect(record.timestamp).toBeLessThanOrEqual(Date.now());
  });

  it('records the same activity as often as it is sent', async () => {
    const player = await server.openSession(gameId);
    const first = await send(player, 'again');
    const second = await send(player, 'again');
    expect(second._id).not.toBe(first._id);
    expect((await read({ walletAddress: player.wallet })).data).toHaveLength(2);
  });

  it('behaves the same when dispatched', async () => {
    const body = { launcherJwt: ada.launcherJwt, label: 'dispatched', eventId: 'e' };
    const { activity: record } = accepted(await api.dispatch('sendCustomActivity', body), activity);
    expect(record).toMatchObject({ label: 'dispatched', eventId: 'e', gameId });
  });

  itRefuses(
    api,
    '/launcher/send-custom-activity',
    () => ({ launcherJwt: ada.launcherJwt, label: 'won', eventId: 'win' }),
    [
      ...requiredString('label'),
      ...faults('label', ['', 'l'.repeat(501)], 'input_invalid'),
      ...requiredString('eventId'),
      ...faults('eventId', ['', 'e'.repeat(201)], 'input_invalid'),
    ],
  );
});

describe('an item of the feed', () => {
  it('has every field, including those of its game and player', async () => {
    const { gameId } = await server.createGame({ name: 'Space Race', slug: 'space-race' });
    const ada = await server.openSession(gameId);
    await server.services.db.write(setProfile, ada.wallet, { username: 'Ada' });
    const { timestamp } = await send(ada, 'took off', 'start');
    expect(await read({ gameId })).toEqual({
      pageNumber: 1,
      pageSize: 10,
      data: [
        {
          type: 'off-chain',
          eventId: 'start',
          gameId,
          gameName: 'Space Race',
          gameSlug: 'space-race',
          user: { id: ada.userId, address: ada.wallet, username: 'Ada' },
          displayText: 'took off',
          timestamp,
        },
      ],
    });
  });

  const wallet = `0x1234${'0f'.repeat(16)}abcd`;
  it.each([
    ['{username} won', '0x1234…abcd won'],
    ['{wallet} won', `${wallet} won`],
    ['{username}{username}, {wallet}', `0x1234…abcd0x1234…abcd, ${wallet}`],
    ['{score} of {user name} in {} and {{wallet}}', `{score} of {user name} in {} and {${wallet}}`],
    ['{constructor} {__proto__} {toString}', '{constructor} {__proto__} {toString}'],
    ['no braces', 'no braces'],
  ])('shows %s as %s', async (label, displayText) => {
    const { gameId } = await server.createGame();
    await send(await server.openSession(gameId, wallet), label);
    expect(textsOf((await read({ gameId })).data)).toEqual([displayText]);
  });

  it('gets the current name when it is read, and placeholders inside names are not expanded', async () => {
    const { gameId } = await server.createGame();
    const player = await server.openSession(gameId);
    await send(player, '{username} won');
    const rename = (username: string) => server.services.db.write(setProfile, player.wallet, { username });
    await rename('Grace');
    expect(textsOf((await read({ gameId })).data)).toEqual(['Grace won']);
    await rename('{wallet}$&');
    expect(textsOf((await read({ gameId })).data)).toEqual(['{wallet}$& won']);
  });
});

describe('GET /activities', async () => {
  const { gameId } = await server.createGame();
  const { gameId: otherGame } = await server.createGame();
  const ada = await server.openSession(gameId);
  const grace = await server.openSession(gameId);
  const adaElsewhere = await server.openSession(otherGame, ada.wallet);
  beforeAll(async () => {
    await send(ada, 'a1');
    await send(grace, 'g1');
    await send(adaElsewhere, 'a2');
    await send(ada, 'a3');
  });

  it.each([
    ['by game, newest first', { gameId }, ['a3', 'g1', 'a1']],
    ['by wallet, in every game', { walletAddress: ada.wallet }, ['a3', 'a2', 'a1']],
    [
      'by wallet in capitals',
      { walletAddress: `0x${ada.wallet.slice(2).toUpperCase()}` },
      ['a3', 'a2', 'a1'],
    ],
    ['by game and wallet', { gameId, walletAddress: ada.wallet }, ['a3', 'a1']],
    ['by game and type off-chain', { gameId, type: 'off-chain' }, ['a3', 'g1', 'a1']],
    ['by game and type on-chain', { gameId, type: 'on-chain' }, []],
    ['by all three', { gameId: otherGame, walletAddress: ada.wallet, type: 'off-chain' }, ['a2']],
    ['by an unknown game', { gameId: 'no-such-game' }, []],
    ['by a wallet never seen', { walletAddress: randomWallet() }, []],
    [
      'with empty values as with none',
      { gameId, walletAddress: '', type: '', pageSize: '' },
      ['a3', 'g1', 'a1'],
    ],
    ['the first page for zeros', { gameId, pageSize: '0', pageNumber: '0' }, ['a3', 'g1', 'a1']],
    ['a page of two', { gameId, pageSize: '2' }, ['a3', 'g1']],
    ['the second page of two', { gameId, pageSize: '2', pageNumber: '2' }, ['a1']],
    ['a page beyond the last', { gameId, pageSize: '2', pageNumber: '3' }, []],
    ['a page with the largest number', { gameId, pageNumber: '9007199254740991' }, []],
  ])('lists %s', async (_what, query, texts) => {
    expect(textsOf((await read(query)).data)).toEqual(texts);
  });

  it('needs no query, no token and no header', async () => {
    const { pageNumber, pageSize, data } = await read({});
    expect({ pageNumber, pageSize }).toEqual({ pageNumber: 1, pageSize: 10 });
    expect(textsOf(data).slice(0, 4)).toEqual(['a3', 'a2', 'g1', 'a1']);
  });

  it.each([
    ['pageNumber=-1', 'pageNumber', 'paging_invalid'],
    ['pageNumber=1.5', 'pageNumber', 'paging_invalid'],
    ['pageNumber=one', 'pageNumber', 'paging_invalid'],
    ['pageSize=-1', 'pageSize', 'paging_invalid'],
    ['pageSize=2.5', 'pageSize', 'paging_invalid'],
    ['pageSize=many', 'pageSize', 'paging_invalid'],
    ['pageSize=5&pageSize=6', 'pageSize', 'paging_invalid'],
    ['walletAddress=0x12', 'walletAddress', 'address_invalid'],
    ['walletAddress=ada', 'walletAddress', 'address_invalid'],
    ['type=onchain', 'type', 'input_invalid'],
    ['type=off-chain&type=on-chain', 'type', 'input_invalid'],
    ['gameId=a&gameId=b', 'gameId', 'input_invalid'],
  ] as const)('refuses ?%s', async (query, path, reason) => {
    refused(await api.get(`/activities?${query}`), 400, reason, path);
  });

  it('is also an operation with a dedicated path and a method name', async () => {
    const body = { gameId, pageSize: 2, pageNumber: 2 };
    const expected = await read({ gameId, pageSize: '2', pageNumber: '2' });
    const dedicated = await api.post('/launcher/get-activities', body);
    expect(accepted(dedicated, feed).result).toEqual(expected);
    expect(accepted(await api.dispatch('getActivities', body), feed).result).toEqual(expected);
  });

  describe('pagination', async () => {
    const { gameId: busy } = await server.createGame();
    const player = await server.openSession(busy);
    const { db } = server.services;
    await Promise.all(
      Array.from({ length: 255 }, (_, n) =>
        db.write(recordActivity, player, { label: `${n}`, eventId: 'e' }),
      ),
    );

    it.each([
      [{}, 10, 10],
      [{ pageSize: '250' }, 250, 250],
      [{ pageSize: '251' }, 250, 250],
      [{ pageSize: '100000', pageNumber: '2' }, 250, 5],
      [{ pageSize: '0', pageNumber: '0' }, 10, 10],
    ])('%j returns pageSize %i and %i items', async (query, pageSize, count) => {
      const result = await read({ gameId: busy, ...query });
      expect(result.pageSize).toBe(pageSize);
      expect(result.data).toHaveLength(count);
    });

    it('pages have no gap or overlap', async () => {
      const texts: string[] = [];
      for (let pageNumber = 1; pageNumber <= 6; pageNumber++) {
        const query = { gameId: busy, pageNumber: String(pageNumber), pageSize: '50' };
        texts.push(...textsOf((await read(query)).data));
      }
      expect(texts).toEqual(Array.from({ length: 255 }, (_, n) => `${254 - n}`));
    });
  });
});
