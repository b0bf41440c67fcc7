import { describe, expect, test } from 'vitest';
import { ban, unban } from '../../src/features/administration/commands.ts';
import { addGameSecret } from '../../src/features/games/commands.ts';
import { claimOf } from '../../src/features/idempotency/claim.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../src/features/messages/channel-commands.ts';
import { maxParticipants, maxSharedChannels } from '../../src/features/messages/message-channel.ts';
import { sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { maxReactionKinds } from '../../src/features/messages/reaction.ts';
import { addReactionTo, removeReactionFrom } from '../../src/features/messages/reaction-commands.ts';
import { moveReadMarker } from '../../src/features/messages/read-marker-commands.ts';
import { findUnread } from '../../src/features/messages/unread.ts';
import { markDelivered, notifyPlayer } from '../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../src/features/play-sessions/commands.ts';
import { deleteScore, setScore } from '../../src/features/scores/commands.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { endSession, maxLiveSessions, startSession } from '../../src/features/sessions/commands.ts';
import { keepServerKey, replaceServerKey } from '../../src/features/sessions/server-keys.ts';
import { beginAttempt, refundAttempt, requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import { patchState, removeState, saveState } from '../../src/features/states/commands.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { contentId } from '../../src/features/states/state.ts';
import { rowOverheadBytes } from '../../src/features/storage-quota/game-storage.ts';
import { runAll, runOnce } from '../../src/server/declarations/commands.ts';
import { noPostgres } from '../support/postgres.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet } from '../support/server.ts';
import { racingNodes } from './racing-nodes.ts';

const wholePage = { limit: 250, skip: 0 };
const wallets = (count: number) => Array.from({ length: count }, randomWallet);

/** Players' data, messages, memberships and retries are as correct with many nodes as with one. */
describe.skipIf(noPostgres !== null)('two nodes, 50 concurrent calls each', () => {
  const { first, addGame, addPlayer, race } = racingNodes();

  test('a player stores no more than the quota, in states, play sessions and messages together', async () => {
    const owner = await addPlayer();
    const other = await addPlayer(owner.gameId);
    const { _id: channel } = await first().write(createChannel, owner, [other.wallet]);
    const quota = 7 * (rowOverheadBytes + 10);
    const { results, refused } = await race<unknown>((db, n) => {
      const text = `"${'x'.repeat(8)}"`;
      if (n % 3 === 0) return db.write(saveState, owner, `label ${n}`, text, contentId(text), quota);
      if (n % 3 === 1) return db.write(sendMessage, owner, channel, text, quota);
      return db.write(trackPlaySession, owner, { sessionId: crypto.randomUUID(), state: text }, quota);
    });
    expect([results.length, refused]).toEqual([7, { storage_full: 93 }]);
    const [use] = await rowsIn(
      first(),
      'SELECT bytes FROM storage_use WHERE game_id = CAST(@gameId AS uuid) AND wallet = @wallet',
      { ...owner },
    );
    expect(use).toEqual({ bytes: quota });
  });

  test('of writers with the version they have read, one succeeds; of removals, one removes', async () => {
    const owner = await addPlayer();
    await first().write(saveState, owner, 'a', '{}', contentId('{}'));
    const saved = await race((db, n) =>
      db.write(saveState, owner, 'a', `{"n":${n}}`, contentId(`{"n":${n}}`), undefined, { ifVersion: 1 }),
    );
    expect([saved.results.length, saved.refused]).toEqual([1, { version_conflict: 99 }]);
    const patched = await race((db, n) => db.write(patchState, owner, 'a', `{"k${n}":${n}}`));
    expect(new Set(patched.results.map(({ version }) => version)).size).toBe(100);
    const [state] = await first().read(listPlayerStates, owner, wholePage, 'a');
    expect(Object.keys(JSON.parse(state?.json ?? '{}'))).toHaveLength(101);
    const removed = await race((db) => db.write(removeState, owner, 'a'));
    expect(removed.results.filter((one) => one !== null)).toHaveLength(1);
  });

  test('an idempotency key is executed once and returns the same, alone and with a batch under it', async () => {
    const owner = await addPlayer();
    const claim = (key: string, input: object) =>
      claimOf(key, {
        gameId: owner.gameId,
        caller: owner.wallet,
        wallet: owner.wallet,
        operation: 'o',
        input,
      });
    const once = await race((db) => db.write(runOnce, claim('k1', {}), 'setScore', [owner, 1]));
    expect(new Set(once.results.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const calls = [1, 2, 3].map((score) => ({ command: 'setScore', args: [owner, score] }));
    const together = await race((db) =>
      db.write(runOnce, claim('k2', {}), runAll.commandName, [[owner], calls]),
    );
    expect(together.results).toHaveLength(100);
    const others = await race((db, n) =>
      db.write(runOnce, claim('k3', { score: n % 4 }), 'setScore', [owner, n % 4]),
    );
    expect([others.results.length, others.refused]).toEqual([25, { idempotency_key_reused: 75 }]);
    expect(await first().read(listScores, owner, wholePage)).toHaveLength(5);
  });

  test('a channel has a limited number of participants, each of them once', async () => {
    const owner = await addPlayer();
    const { _id: channel } = await first().write(createChannel, owner, wallets(maxParticipants - 31));
    const joining = wallets(80);
    const { results, refused } = await race((db, n) =>
      db.write(addToChannel, owner, channel, joining[n % 80] ?? ''),
    );
    expect([results.length, refused]).toEqual([30, { participants_invalid: 70 }]);
    const rows = await rowsIn(
      first(),
      'SELECT position FROM participants WHERE channel_id = CAST(@channel AS uuid)',
      { channel },
    );
    expect([rows.length, new Set(rows.map((row) => Object(row).position)).size]).toEqual([
      maxParticipants,
      maxParticipants,
    ]);
  });

  test('a player leaves a channel once, and the last administrator who leaves is succeeded by one', async () => {
    const owner = await addPlayer();
    const others = wallets(30);
    const { _id: channel } = await first().write(createChannel, owner, others);
    const { results, refused } = await race((db, n) => {
      const wallet = [owner.wallet, ...others][n % 20] ?? '';
      return db.write(removeFromChannel, { ...owner, wallet }, channel, wallet);
    });
    expect([results.length, refused]).toEqual([20, { channel_unknown: 80 }]);
    const administrators = await rowsIn(
      first(),
      `SELECT wallet FROM participants WHERE channel_id = CAST(@channel AS uuid) AND permissions LIKE '%super-admin%'`,
      { channel },
    );
    expect(administrators).toHaveLength(1);
  });

  test('a player adds another to a limited number of channels', async () => {
    const owner = await addPlayer();
    const { wallet } = await addPlayer(owner.gameId);
    for (let n = 0; n < maxSharedChannels - 10; n++) {
      await first().write(createChannel, owner, [wallet, randomWallet()]);
    }
    const { results, refused } = await race((db) => db.write(createChannel, owner, [wallet, randomWallet()]));
    expect([results.length, refused]).toEqual([10, { channel_limit_reached: 90 }]);
  });

  test("a message is unsent once, and the channel's count matches its messages", async () => {
    const owner = await addPlayer();
    const { _id: channel } = await first().write(createChannel, owner, wallets(1));
    const { results: sent } = await race((db, n) => db.write(sendMessage, owner, channel, `${n}`));
    const { results, refused } = await race((db, n) =>
      db.write(unsendMessage, owner, sent[n % 40]?._id ?? ''),
    );
    expect([results.length, refused]).toEqual([40, { message_unknown: 60 }]);
    const counted = await rowsIn(
      first(),
      `SELECT message_count AS counted, (SELECT count(*) FROM messages WHERE channel_id = CAST(@channel AS uuid)) AS kept
        FROM message_channels WHERE id = CAST(@channel AS uuid)`,
      { channel },
    );
    expect(counted).toEqual([{ counted: 60, kept: 60 }]);
  });

  test('a read marker only moves forward, and ends at the furthest message', async () => {
    const owner = await addPlayer();
    const reader = await addPlayer(owner.gameId);
    const { _id: channel } = await first().write(createChannel, owner, [reader.wallet]);
    const sent: string[] = [];
    for (let n = 0; n < 100; n++) sent.push((await first().write(sendMessage, owner, channel, `${n}`))._id);
    const { results } = await race((db, n) =>
      db.write(moveReadMarker, reader, channel, sent[(n * 37) % 100] ?? ''),
    );
    results.forEach(({ messageId }, n) => {
      expect(sent.indexOf(messageId)).toBeGreaterThanOrEqual((n * 37) % 100);
    });
    const unread = await first().read(findUnread, reader, channel);
    expect(unread).toMatchObject({ unreadCount: 0, readMarker: { messageId: sent[99] } });
    const moves = await rowsIn(
      first(),
      `SELECT CAST(record AS json) ->> 'messageId' AS id FROM events
        WHERE name = 'read-markers patched' AND CAST(record AS json) ->> 'channelId' = @channel ORDER BY seq`,
      { channel },
    );
    const told = moves.map((move) => sent.indexOf(Object(move).id));
    expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(99);
  });

  test('a message has a limited number of reaction kinds, and counts existing ones', async () => {
    const owner = await addPlayer();
    const other = await addPlayer(owner.gameId);
    const { _id: channel } = await first().write(createChannel, owner, [other.wallet]);
    const { _id: message } = await first().write(sendMessage, owner, channel, 'We won');
    const same = await race((db, n) => db.write(addReactionTo, n % 2 ? owner : other, message, 'gg'));
    expect([same.results.length, same.refused]).toEqual([100, {}]);
    const { results, refused } = await race((db, n) => db.write(addReactionTo, owner, message, `e${n}`));
    expect([results.length, refused]).toEqual([
      maxReactionKinds - 1,
      { reaction_limit_reached: 101 - maxReactionKinds },
    ]);
    await race((db) => db.write(removeReactionFrom, owner, message, 'gg'));
    const [row] = await rowsIn(
      first(),
      `SELECT reactions, (SELECT count(*) FROM message_reactions WHERE message_id = m.id) AS kept,
          (SELECT count(*) FROM events WHERE name LIKE 'message-reactions %' AND record LIKE '%' || m.id || '%') AS told
        FROM messages AS m WHERE id = CAST(@message AS uuid)`,
      { message },
    );
    const counts = JSON.parse(Object(row).reactions);
    expect(counts).toHaveLength(maxReactionKinds);
    expect(counts[0]).toEqual(['gg', 1]);
    expect(row).toMatchObject({ kept: maxReactionKinds, told: maxReactionKinds + 2 });
    const use = await rowsIn(first(), 'SELECT bytes FROM storage_use WHERE wallet = @wallet', {
      wallet: other.wallet,
    });
    expect(use).toEqual([{ bytes: rowOverheadBytes }]);
  });

  test('a play session ends once', async () => {
    const owner = await addPlayer();
    const sessionId = crypto.randomUUID();
    await first().write(trackPlaySession, owner, { sessionId, state: '{}' });
    const endTime = Date.now() + 1e6;
    const { results, refused } = await race((db, n) =>
      db.write(trackPlaySession, owner, { sessionId, state: '{}', endTime: endTime + n }),
    );
    expect([results.length, refused]).toEqual([1, { play_session_ended: 99 }]);
  });

  test('a score is deleted once, and the best remaining one counts', async () => {
    const owner = await addPlayer();
    const { results: made } = await race((db, n) => db.write(setScore, owner, n));
    const best = made.toSorted((one, other) => other.score - one.score);
    const { results, refused } = await race((db, n) =>
      db.write(deleteScore, owner.gameId, best[n % 10]?._id ?? ''),
    );
    expect([results.length, refused]).toEqual([10, { score_unknown: 90 }]);
    const board = await rowsIn(
      first(),
      `SELECT -b.sort_score AS score FROM board AS b JOIN streams AS s ON s.id = b.stream_id
        WHERE b.board_id = CAST(@gameId AS uuid) AND s.wallet = @wallet`,
      { ...owner },
    );
    expect(board).toEqual([{ score: 89 }]);
  });

  test('a player has a limited number of live sessions, and one ends once', async () => {
    const owner = await addPlayer();
    for (let n = 0; n < maxLiveSessions - 50; n++) await first().write(startSession, owner, 1e8);
    const { results } = await race((db) => db.write(startSession, owner, 1e8));
    expect(results).toHaveLength(100);
    const live = 'SELECT id FROM channel_sessions WHERE wallet = @wallet AND ended_at IS NULL';
    expect(await rowsIn(first(), live, { wallet: owner.wallet })).toHaveLength(maxLiveSessions);
    const id = results[0]?.session.id ?? '';
    await race((db) => db.write(endSession, owner.wallet, id));
    const told = await rowsIn(
      first(),
      `SELECT seq FROM events WHERE name = 'game-channels patched' AND record LIKE '%' || @id || '%'`,
      { id },
    );
    expect(told).toHaveLength(1);
  });

  test('an attempt refunded while others are made leaves no more than five', async () => {
    const { gameId, wallet } = await addPlayer();
    const id = crypto.randomUUID();
    await first().write(requestSignIn, {
      id,
      gameId,
      wallet,
      signRequest: '',
      expiresAt: Date.now() + 1e6,
    });
    let refunds = 0;
    const { results } = await race<unknown>(async (db, n) => {
      await db.write(beginAttempt, id);
      if (n % 2 === 1) return;
      refunds++;
      await db.write(refundAttempt, id);
    });
    expect(results.length).toBeLessThanOrEqual(5 + refunds);
    const after = await race((db) => db.write(beginAttempt, id));
    expect(results.length - refunds + after.results.length).toBe(5);
  });

  test('a ban is lifted once', async () => {
    const { wallet, gameId } = await addPlayer();
    await first().write(ban, wallet, gameId, 'why');
    const { results, refused } = await race((db) => db.write(unban, wallet, gameId));
    expect([results.length, refused]).toEqual([1, { player_not_banned: 99 }]);
  });

  test('a notification is marked as delivered at one time', async () => {
    const owner = await addPlayer();
    const { _id } = await first().write(notifyPlayer, owner, { message: 'Hi', type: 'success' });
    const { results } = await race(async (db) => {
      await db.write(markDelivered, [_id]);
      return rowsIn(db, 'SELECT delivered_at FROM notifications WHERE id = CAST(@id AS uuid)', { id: _id });
    });
    expect(new Set(results.map((rows) => JSON.stringify(rows))).size).toBe(1);
  });

  test('of rotated secrets, one does not expire', async () => {
    const gameId = await addGame();
    await race((db) => {
      const secret = { hash: crypto.randomUUID(), sealedMd5: '', sealedSecret: '' };
      return db.write(addGameSecret, gameId, secret, { graceMs: 1e6 });
    });
    const rows = await rowsIn(
      first(),
      'SELECT hash FROM game_secrets WHERE game_id = CAST(@gameId AS uuid) AND expires_at IS NULL',
      { gameId },
    );
    expect(rows).toHaveLength(1);
  });

  test('a server key is created once, and replaced only by a node that knew the previous one', async () => {
    const { results: kept } = await race((db, n) => db.write(keepServerKey, 'token-keys', `sealed ${n}`));
    expect(new Set(kept).size).toBe(1);
    const { results } = await race((db, n) =>
      db.write(replaceServerKey, 'token-keys', kept[0] ?? '', `next ${n}`),
    );
    expect(results.filter((replaced) => replaced)).toHaveLength(1);
  });
});
