import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { get, post } from '../support/http.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { mayMountDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';
import { openGroupCommit } from './group-commit-under-test.ts';

const mebibyte = 1024 * 1024;

describe('a database that may not grow', () => {
  test('refuses what does not fit, keeps acknowledged writes, and resumes when it may grow again', async () => {
    await using subject = await openGroupCommit();
    const pages = Number(subject.db.pragma('page_count', { simple: true }));
    subject.db.pragma(`max_page_count = ${pages + 20}`);

    const wanted = Array.from({ length: 100 }, (_, n) => `${n} ${'x'.repeat(4_000)}`);
    const outcomes = await Promise.allSettled(wanted.map((row) => subject.add(row)));
    const answered = wanted.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ reason: 'store_unavailable', code: 503 });
    expect(subject.rows()).toEqual(answered);
    expect(subject.eventSeqs()).toEqual(answered.map((_, n) => n + 1));
    expect(subject.received.map(({ seq }) => seq)).toEqual(subject.eventSeqs());

    subject.db.pragma(`max_page_count = ${pages + 10_000}`);
    await subject.add('there is space again');
    expect(subject.rows()).toEqual([...answered, 'there is space again']);
    expect(subject.eventSeqs()).toHaveLength(answered.length + 1);
  });
});

describe('a full disk', () => {
  test.skipIf(!mayMountDisk)(
    `answers 503, never success; keeps acknowledged writes; resumes${mayMountDisk ? '' : ' (skipped: mounting a small disk takes root)'}`,
    async () => {
      await using disk = await smallDisk(12);
      await using server = await startTestServer({ DATA_DIR: join(disk.path, 'data') });
      const { gameId } = await server.createGame();
      const { launcherJwt } = await server.openSession(gameId);
      const state = JSON.stringify('x'.repeat(50_000));
      const setState = async (label: string) => ({
        label,
        ...(await post(`${server.url}/launcher/set-state`, { launcherJwt, label, state })),
      });
      const { body: readiness } = await get(`${server.url}/readyz`);
      expect(readiness).toMatchObject({ status: 'degraded', database: 'ready' });
      expect((readiness as { reason: string }).reason).toMatch(/has \d+ MiB left/);
      const ballast = join(disk.path, 'ballast');
      writeFileSync(ballast, Buffer.alloc(4 * mebibyte));

      const answers = [];
      while (answers.filter(({ status }) => status !== 200).length < 20) {
        const burst = Array.from({ length: 8 }, (_, n) => setState(`${answers.length + n}`));
        answers.push(...(await Promise.all(burst)));
      }
      for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
        expect(status).toBe(503);
        expect(body).toMatchObject({ success: false, data: { reason: 'store_unavailable' } });
      }
      const rename = ['player', 'rename', randomWallet(), '--name', 'x'.repeat(40)];
      await until('a command says why it was refused', async () => {
        const { code, stderr } = await gantry(rename, { env: { DATA_DIR: join(disk.path, 'data') } });
        return code === 1 && /^The disk with the data directory is full\. Make room/.test(stderr);
      });
      rmSync(ballast);
      answers.push(await setState('there is space again'));
      expect(answers.at(-1)?.status).toBe(200);

      const kept: string[] = [];
      for (let isMore = true; isMore; ) {
        const requested = { launcherJwt, limit: 250, skip: kept.length };
        const { body } = await post(`${server.url}/launcher/get-states`, requested);
        const { states } = body as { states: { label: string }[] };
        kept.push(...states.map(({ label }) => label));
        isMore = states.length > 0;
      }
      const answered = answers.filter(({ status }) => status === 200).map(({ label }) => label);
      expect(kept.sort()).toEqual(answered.sort());
    },
  );
});
