import { describe, expect, test } from 'vitest';
import { ban, unban } from '../../../src/features/administration/commands.ts';
import { type Claim, claimOf } from '../../../src/features/idempotency/claim.ts';
import { trimIdempotencyKeys } from '../../../src/features/idempotency/commands.ts';
import { findPlayer, isBanned } from '../../../src/features/players/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { runAll, runOnce } from '../../../src/server/declarations/commands.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, listen, type OpenStore, summarize, wholePage } from './fixture.ts';

function claim(gameId: string, wallet: string, input: object = { score: 1 }, key = 'key-1'): Claim {
  return claimOf(key, { gameId, caller: wallet, wallet, operation: 'setUserScore', input });
}

/** Why a write was refused; null if it was not. */
function refusal(write: Promise<unknown>): Promise<unknown> {
  return write.then(
    () => null,
    (error: unknown) => Object(error).reason,
  );
}

/** Commands that execute others: once, and as a batch. */
export function idempotentCommandsContract(open: OpenStore): void {
  describe('a command under an idempotency key', () => {
    test('is executed once, also by another process and after a reopen, with the same result', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const received = listen(db);
      const once = (store = db) => store.write(runOnce, claim(gameId, ada.wallet), 'setScore', [ada, 1]);
      const otherProcess = await fixture.openOtherProcess();
      const answers = await Promise.all([once(), once(), once(otherProcess), once(otherProcess), once()]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(await db.read(listScores, ada, wholePage)).toEqual([answers[0]]);
      expect(summarize(received).length).toBeLessThanOrEqual(1);
      await otherProcess.close();
      expect(await once(await fixture.reopen())).toEqual(answers[0]);
    });

    test('is refused with another fingerprint, and executed in another game or for another caller', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { id: other } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      await db.write(runOnce, claim(gameId, ada.wallet), 'setScore', [ada, 1]);
      const again = db.write(runOnce, claim(gameId, ada.wallet, { score: 2 }), 'setScore', [ada, 2]);
      expect(await refusal(again)).toBe('idempotency_key_reused');
      const elsewhere = { gameId: other, wallet: ada.wallet };
      await db.write(runOnce, claim(other, ada.wallet), 'setScore', [elsewhere, 3]);
      expect(await db.read(listScores, elsewhere, wholePage)).toHaveLength(1);
      expect(await db.read(listScores, ada, wholePage)).toHaveLength(1);
    });

    test('stores no key when it is refused, and may be executed later', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db, { policies: { scores: 'integer' } });
      const ada = await addPlayer(db, gameId);
      const attempt = (score: number) =>
        db.write(runOnce, claim(gameId, ada.wallet), 'setScore', [ada, score]);
      expect(await refusal(attempt(1.5))).toBe('score_not_integer');
      expect(await attempt(2)).toMatchObject({ score: 2 });
    });

    test('expires', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const once = () => db.write(runOnce, claim(gameId, ada.wallet), 'setScore', [ada, 1]);
      await once();
      clock.advance(10_000);
      expect(await db.write(trimIdempotencyKeys, 10_000)).toBe(false);
      await once();
      expect(await db.read(listScores, ada, wholePage)).toHaveLength(1);
      clock.advance(1);
      await db.write(trimIdempotencyKeys, 10_000);
      await once();
      expect(await db.read(listScores, ada, wholePage)).toHaveLength(2);
    });
  });

  describe('batched commands', () => {
    test('are executed in order, create missing players, and see earlier writes', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const owners = Array.from({ length: 20 }, () => ({ gameId, wallet: randomWallet() }));
      const calls = [...owners, ...owners].map((owner, at) => ({
        command: 'setScore',
        args: [owner, at, 'n'],
      }));
      const results = await db.write(runAll, owners, calls);
      expect(results.map((result) => Object(result).score)).toEqual([...calls.keys()]);
      for (const [at, owner] of owners.entries()) {
        expect((await db.read(listScores, owner, wholePage)).map(({ score }) => score)).toEqual([at + 20]);
        expect(await db.read(findPlayer, owner.wallet)).toMatchObject({ wallet: owner.wallet });
      }
    });

    test('change and announce nothing when one is refused, which the error names', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db, { policies: { scores: 'integer' } });
      const owner = { gameId, wallet: randomWallet() };
      const received = listen(db);
      const calls = [1, 2, 2.5, 3].map((score) => ({ command: 'setScore', args: [owner, score] }));
      await expect(db.write(runAll, [owner], calls)).rejects.toMatchObject({
        reason: 'score_not_integer',
        message: expect.stringMatching(/^operations\.2: score: /),
        fields: [{ path: 'operations.2.data.score' }],
      });
      expect(await db.read(listScores, owner, wholePage)).toEqual([]);
      expect(await db.read(findPlayer, owner.wallet)).toBeNull();
      expect(received).toEqual([]);
    });

    test('of two stores concurrently, about the same players in another order, do not deadlock', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const owners = Array.from({ length: 10 }, () => ({ gameId, wallet: randomWallet() }));
      const otherProcess = await fixture.openOtherProcess();
      const run = (store: typeof db, some: typeof owners) =>
        store.write(
          runAll,
          some,
          some.map((owner) => ({ command: setScore.commandName, args: [owner, 1] })),
        );
      const reversed = owners.toReversed();
      await Promise.all(
        Array.from({ length: 5 }, () => [run(db, owners), run(otherProcess, reversed)]).flat(),
      );
      for (const owner of owners) expect(await db.read(listScores, owner, wholePage)).toHaveLength(10);
      await otherProcess.close();
    });
  });

  test("a player's bans take effect immediately, from one game or from all", async () => {
    await using fixture = await open();
    const { db } = fixture;
    const { id: gameId } = await addGame(db);
    const ada = await addPlayer(db, gameId);
    const other = { ...ada, gameId: (await addGame(db)).id };
    const standing = async () => [await db.read(isBanned, ada), await db.read(isBanned, other)];
    expect(await standing()).toEqual([false, false]);
    await db.write(ban, ada.wallet, gameId, 'cheating');
    expect(await standing()).toEqual([true, false]);
    await db.write(ban, ada.wallet, null, 'cheating');
    expect(await standing()).toEqual([true, true]);
    await db.write(unban, ada.wallet, null);
    await db.write(unban, ada.wallet, gameId);
    expect(await standing()).toEqual([false, false]);
  });
}
