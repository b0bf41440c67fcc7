import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/schemas/ids.ts';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../../src/features/administration/administrators/administrator.ts';
import {
  addAdministrator,
  changeAdministrator,
  recordAdministratorUse,
  removeAdministrator,
  replaceAdministratorToken,
} from '../../../src/features/administration/administrators/commands.ts';
import {
  findAdministrator,
  findAdministratorByToken,
  listAllAdministrators,
} from '../../../src/features/administration/administrators/queries.ts';
import {
  changeBackupSchedule,
  claimDueBackup,
  finishDueBackup,
  readBackupSchedule,
} from '../../../src/features/administration/backup-schedule.ts';
import { beginAudit, finishAudit } from '../../../src/features/administration/commands.ts';
import { readAuditLog } from '../../../src/features/administration/queries.ts';
import { hour, nowAndReopened, type OpenStore } from './fixture.ts';

const newToken = (lifetimeMs: number | null = null) => ({
  tokenHash: hashOfToken(newAdministratorToken()),
  lifetimeMs,
});

export function administratorsContract(open: OpenStore): void {
  describe('administrators', () => {
    test('are found by their token, and listed by name', async () => {
      await using fixture = await open();
      const [hers, his] = [newToken(), newToken(hour)];
      const ada = await fixture.db.write(addAdministrator, 'ada', 'operator', hers);
      const bob = await fixture.db.write(addAdministrator, 'Bob', 'read-only', his);
      expect(bob.expiresAt).toBe(bob.createdAt + hour);
      for await (const db of nowAndReopened(fixture)) {
        expect(await db.read(findAdministratorByToken, hers.tokenHash)).toEqual({
          administrator: ada,
          isExpired: false,
        });
        expect(await db.read(findAdministratorByToken, newToken().tokenHash)).toBeNull();
        expect(await db.read(findAdministrator, bob.administratorId)).toEqual(bob);
        expect((await db.read(listAllAdministrators)).map(({ name }) => name)).toEqual(['ada', 'Bob']);
      }
    });

    test('have unique names, case-insensitively', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { administratorId } = await db.write(addAdministrator, 'Ada', 'owner', newToken());
      await db.write(addAdministrator, 'Bob', 'owner', newToken());
      const taken = { reason: 'administrator_name_taken' };
      await expect(db.write(addAdministrator, 'ADA', 'owner', newToken())).rejects.toMatchObject(taken);
      await expect(db.write(changeAdministrator, administratorId, { name: 'bob' })).rejects.toMatchObject(
        taken,
      );
      expect(await db.write(changeAdministrator, administratorId, { name: 'ADA' })).toMatchObject({
        name: 'ADA',
        role: 'owner',
      });
      const both = ['Eve', 'eve'].map((name) => db.write(addAdministrator, name, 'moderator', newToken()));
      const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
      expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected']);
    });

    test('reflect changes of another process immediately', async () => {
      await using fixture = await open.empty();
      const otherProcess = await fixture.openOtherProcess();
      const [token, next] = [newToken(), newToken()];
      const { administratorId } = await fixture.db.write(addAdministrator, 'Ada', 'operator', token);
      const roleOf = async ({ tokenHash }: { tokenHash: string }) =>
        (await otherProcess.read(findAdministratorByToken, tokenHash))?.administrator.role ?? null;
      expect(await roleOf(token)).toBe('operator');
      await fixture.db.write(changeAdministrator, administratorId, { role: 'moderator' });
      expect(await roleOf(token)).toBe('moderator');
      await fixture.db.write(replaceAdministratorToken, administratorId, next);
      expect([await roleOf(token), await roleOf(next)]).toEqual([null, 'moderator']);
      await fixture.db.write(removeAdministrator, administratorId);
      expect(await roleOf(next)).toBeNull();
      // The name is free again.
      await otherProcess.write(addAdministrator, 'Ada', 'read-only', token);
      expect(await roleOf(token)).toBe('read-only');
      await otherProcess.close();
    });

    test('have tokens that expire, and that record their last use', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const token = newToken(hour);
      const { administratorId } = await db.write(addAdministrator, 'Ada', 'operator', token);
      const found = async () => db.read(findAdministratorByToken, token.tokenHash);
      expect(await found()).toMatchObject({ isExpired: false, administrator: { lastUsedAt: null } });
      await db.write(recordAdministratorUse, administratorId, newToken().tokenHash);
      expect(await found()).toMatchObject({ administrator: { lastUsedAt: null } });
      await db.write(recordAdministratorUse, administratorId, token.tokenHash);
      expect((await found())?.administrator.lastUsedAt).toEqual(expect.any(Number));
      clock.advance(hour);
      expect(await found()).toMatchObject({ isExpired: true });
    });

    test.each([newId(), 'no-such-administrator'])('do not include the id %s', async (id) => {
      await using fixture = await open();
      const { db } = fixture;
      const unknown = { reason: 'administrator_unknown' };
      await expect(db.write(changeAdministrator, id, { role: 'owner' })).rejects.toMatchObject(unknown);
      await expect(db.write(replaceAdministratorToken, id, newToken())).rejects.toMatchObject(unknown);
      await expect(db.write(removeAdministrator, id)).rejects.toMatchObject(unknown);
      await db.write(recordAdministratorUse, id, newToken().tokenHash);
      expect(await db.read(findAdministrator, id)).toBeNull();
    });

    test('are named in the audit log, under the name they had at the time', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { administratorId, name } = await db.write(addAdministrator, 'Ada', 'operator', newToken());
      const entry = await db.write(beginAudit, name, 'setRules', {}, administratorId);
      await db.write(finishAudit, entry, 'ok');
      await db.write(beginAudit, 'cli', 'setRules', {});
      await db.write(removeAdministrator, administratorId);
      const { rows } = await db.read(readAuditLog, { limit: 2, skip: 0 });
      expect(rows).toMatchObject([
        { actor: 'cli', administratorId: null, outcome: null },
        { actor: 'Ada', administratorId, outcome: 'ok' },
      ]);
    });
  });

  describe('the schedule of backups', () => {
    test('is due immediately, then at its interval, and for one process only', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      expect(await db.read(readBackupSchedule)).toBeNull();
      expect(await db.write(claimDueBackup)).toBeNull();
      await db.write(changeBackupSchedule, { everyHours: 6, keep: 3 });
      const isDue = async () => (await db.read(readBackupSchedule))?.isDue;
      expect(await isDue()).toBe(true);
      const claims = await Promise.all([db.write(claimDueBackup), db.write(claimDueBackup)]);
      const [claimed] = claims.filter((claim) => claim !== null);
      expect(claims.filter((claim) => claim === null)).toHaveLength(1);
      expect(claimed).toMatchObject({ keep: 3 });
      if (claimed) await db.write(finishDueBackup, claimed, null);
      clock.advance(6 * hour - 1);
      expect(await isDue()).toBe(false);
      clock.advance(1);
      expect(await isDue()).toBe(true);
      await db.write(changeBackupSchedule, null);
      expect(await db.read(readBackupSchedule)).toBeNull();
    });

    test('is retried an hour after a failure, and after a process that died', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      await db.write(changeBackupSchedule, { everyHours: 24, keep: 1 });
      const isDue = async () => (await db.read(readBackupSchedule))?.isDue;
      const claimed = await db.write(claimDueBackup);
      if (claimed) await db.write(finishDueBackup, claimed, 'the disk is full');
      expect(await isDue()).toBe(false);
      expect((await db.read(readBackupSchedule))?.schedule.failure).toBe('the disk is full');
      clock.advance(hour);
      expect(await isDue()).toBe(true);
      const again = await db.write(claimDueBackup);
      clock.advance(hour);
      expect(await isDue()).toBe(true); // nobody has reported how it ended
      if (again) await db.write(finishDueBackup, again, null);
      expect(await isDue()).toBe(false);
      expect((await db.read(readBackupSchedule))?.schedule).toMatchObject({ failedAt: null, failure: null });
    });

    test('the end of a backup does not delay the first one of a schedule that replaced it', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      await db.write(changeBackupSchedule, { everyHours: 24, keep: 7 });
      const claimed = await db.write(claimDueBackup);
      await db.write(changeBackupSchedule, null);
      await db.write(changeBackupSchedule, { everyHours: 24, keep: 7 });
      if (claimed) await db.write(finishDueBackup, claimed, null);
      expect((await db.read(readBackupSchedule))?.isDue).toBe(true);
    });

    test('comes sooner when the interval is shortened, and not later when only the number to keep changes', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      await db.write(changeBackupSchedule, { everyHours: 168, keep: 7 });
      const claimed = await db.write(claimDueBackup);
      if (claimed) await db.write(finishDueBackup, claimed, null);
      const before = (await db.read(readBackupSchedule))?.schedule.dueAt ?? 0;
      expect((await db.write(changeBackupSchedule, { everyHours: 168, keep: 8 }))?.dueAt).toBe(before);
      const sooner = await db.write(changeBackupSchedule, { everyHours: 1, keep: 8 });
      expect(before - (sooner?.dueAt ?? 0)).toBe(167 * hour);
    });
  });
}
