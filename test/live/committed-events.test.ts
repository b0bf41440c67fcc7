import { describe, expect, test } from 'vitest';
import type { Audience, Listener, StoredEvent } from '../../src/core/events/stream.ts';
import {
  concernedBy,
  decodeFrames,
  encodeFrames,
  Interests,
} from '../../src/transports/live/committed-events.ts';
import { isFor } from '../../src/transports/live/push.ts';

const [ada, grace, eve] = ['0xada', '0xgrace', '0xeve'] as const;
const game = '019ab6c2-0000-7000-8000-000000000001';

function event(changes: Partial<StoredEvent>): StoredEvent {
  return {
    stream: `player:${game}:${ada}`,
    name: 'scores created',
    record: '{"text":"Zoë 👑\\n\\u0000"}',
    epoch: 'epoch',
    seq: 1,
    lane: 0,
    position: 1,
    after: null,
    audience: { kind: 'players', gameId: game, wallets: [ada] },
    ...changes,
  };
}

function interestedIn(...names: readonly string[]): Interests {
  const interests = new Interests();
  for (const name of names) interests.add(name);
  return interests;
}

const decoded = (message: string) => decodeFrames(Buffer.from(message));

describe('a message with events', () => {
  const events = [
    event({ position: 7 }),
    event({
      position: 8,
      seq: 2,
      record: '{"ж":"…"}',
      audience: { kind: 'players', gameId: game, wallets: [eve] },
    }),
    event({ position: 9, seq: 3, after: { lane: 3, position: 5 } }),
    event({ lane: 2, position: 4, seq: 4 }),
  ];

  test('contains them by lane, with their places, and those for players with a socket', () => {
    const [first, other, ...more] = decoded(encodeFrames(events));
    expect(first).toMatchObject({ lane: 0, first: 7, last: 9, after: [{ lane: 3, position: 5 }] });
    expect(other).toMatchObject({ lane: 2, first: 4, last: 4, after: [] });
    expect(more).toEqual([]);
    expect(first?.wanted(interestedIn(ada))).toEqual([events[0], events[2]]);
    expect(first?.wanted(interestedIn(eve))).toEqual([events[1]]);
    expect(first?.wanted(interestedIn(grace))).toEqual([]);
    expect(other?.wanted(interestedIn(ada, eve))).toEqual([events[3]]);
  });

  test('is refused when it is broken, at the latest when its events are wanted', () => {
    const message = encodeFrames(events.slice(0, 3));
    const [header, texts = ''] = message.split('\n');
    const others = [
      '',
      'x',
      '{}',
      'null',
      '[]',
      '{"lane":0}',
      `${header}`.replace('"first":7', '"first":"7"'),
    ];
    for (const one of others) expect(() => decoded(`${one}\n${texts}\n`), one).toThrow();
    for (const one of ['x', `${header}`, `${header}\n${texts}`]) expect(() => decoded(one), one).toThrow();
    for (const one of [texts.slice(0, -1), `${texts}x`, texts.slice(1), texts.replaceAll('"', '')]) {
      const [first] = decoded(`${header}\n${one}\n`);
      expect(first?.wanted(interestedIn(grace))).toEqual([]); // nothing of it is read
      expect(() => first?.wanted(interestedIn(ada)), one).toThrow();
    }
  });
});

test('an event concerns everybody who may receive it', () => {
  const audiences: Audience[] = [
    { kind: 'game', gameId: game },
    { kind: 'players', gameId: game, wallets: [ada, grace], hiddenFrom: [eve] },
    { kind: 'players', gameId: game, wallets: [] },
    { kind: 'account', wallet: ada, inGames: null },
    { kind: 'account', wallet: grace, inGames: [game] },
  ];
  let received = 0;
  for (const audience of audiences) {
    for (const wallet of [ada, grace, eve]) {
      for (const gameId of [null, game, 'another']) {
        for (const followed of [[], [game]]) {
          const listener: Listener = { wallet, gameId, friends: 'all' };
          if (!isFor(audience, listener, new Set(followed))) continue;
          received++;
          const interests = interestedIn(wallet, ...followed);
          expect(concernedBy(event({ audience })).some((hash) => interests.has(hash))).toBe(true);
        }
      }
    }
  }
  expect(received).toBeGreaterThan(20);
  // A score also moves its game's public leaderboard; a notification does not.
  const reaches = (name: string) => concernedBy(event({ name })).some((hash) => interestedIn(game).has(hash));
  expect(['scores patched', 'notifications created'].map(reaches)).toEqual([true, false]);
});

test('interests last until the last socket that has them has left', () => {
  const interests = interestedIn(ada, ada);
  const [hash = 0] = concernedBy(event({}));
  const known = [interests.has(hash)];
  for (let socket = 0; socket < 2; socket++) {
    interests.remove(ada);
    known.push(interests.has(hash));
  }
  expect(known).toEqual([true, true, false]);
});
