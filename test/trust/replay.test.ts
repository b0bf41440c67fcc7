import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { type GantryProcess, serveGantry } from '../support/gantry-process.ts';
import { type Answer, post } from '../support/http.ts';
import { accepted, refused } from '../support/outcome.ts';
import { hmacSigned, md5Signed } from '../support/request-signatures.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { newWallet } from '../support/wallet.ts';

const adminToken = 'the-admin-token-of-this-suite';
const variables = { GANTRY_DEMO: 'off', RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken };

describe('sent fifty times concurrently to two processes on one data directory, and again after a restart', () => {
  let directory: TemporaryDirectory;
  let processes: GantryProcess[];
  let admin: AdminWay;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    await start();
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
    await directory[Symbol.asyncDispose]();
  });

  async function start(): Promise<void> {
    const first = await serveGantry(directory.path, variables);
    processes = [first, await serveGantry(directory.path, variables)];
    admin = overHttp({ url: first.url, adminToken });
  }

  /** Ends them like a crash: accepted requests must still be known. */
  async function restart(): Promise<void> {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await start();
  }

  /** Every response to fifty copies of a request, half of them to each process. */
  async function fifty(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer[]> {
    const copies = Array.from({ length: 50 }, (_, index) => processes[index % processes.length]);
    return Promise.all(copies.map((one) => post(`${one?.url}${path}`, body, headers)));
  }

  const accepting = (answers: readonly Answer[]) => answers.filter((answer) => answer.status === 200);

  it.each([
    ['MD5', (secret: string, _body: string) => md5Signed(secret)],
    ['HMAC-SHA256', (secret: string, body: string) => hmacSigned(secret, body)],
  ])('a request signed with %s is executed once', async (_scheme, signed) => {
    const { gameId, gameSecret } = await admin.call(createGame, { name: 'Space Race' });
    const { launcherJwt } = await admin.call(openSession, { gameId, wallet: randomWallet() });
    const body = JSON.stringify({ launcherJwt, score: 7 });
    const headers = signed(gameSecret, body);

    const answers = await fifty('/launcher/set-user-score', body, headers);
    expect(accepting(answers)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) refused(answer, 401, 'nonce_replayed');

    await restart();
    for (const answer of await fifty('/launcher/set-user-score', body, headers))
      refused(answer, 401, 'nonce_replayed');
    const kept = await post(`${processes[1]?.url}/launcher/get-user-scores`, { launcherJwt });
    expect(kept.body).toMatchObject({ scores: [{ score: 7 }] });
    expect(Object(kept.body).scores).toHaveLength(1);
  });

  it('a wallet signature signs in once', async () => {
    const { gameId } = await admin.call(createGame, { name: 'Space Race' });
    const wallet = newWallet();
    const begun = await post(`${processes[0]?.url}/launcher/create-unverified-channel`, {
      wallet: wallet.address,
      gameId,
    });
    const { channelId, signRequest } = accepted(
      begun,
      z.object({ channelId: z.string(), signRequest: z.string() }),
    );
    const body = JSON.stringify({ channelId, signature: await wallet.sign(signRequest) });

    const answers = await fifty('/launcher/verify-unverified-channel', body);
    expect(accepting(answers)).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 200) continue;
      expect(answer.status).toBe(400);
      expect(['sign_in_used', 'sign_in_attempts_exhausted']).toContain(Object(answer.body).data.reason);
    }

    await restart();
    const later = await fifty('/launcher/verify-unverified-channel', body);
    for (const answer of later) refused(answer, 400, 'sign_in_used');
  });
});
