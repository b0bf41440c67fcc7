import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sdkModel } from '../../src/sdk/generators/model.ts';
import { runLedger } from '../live/ledger.ts';
import { caseOf } from '../operations/cases.ts';
import type { Listening } from '../support/listening-client.ts';
import { normalised } from '../support/normalise.ts';
import { redisMissing } from '../support/redis.ts';
import { launcherOperations } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createWorld } from '../support/world.ts';
import type { Driver, DriverClient, OpenOptions } from './driver.ts';
import { misfits } from './fits-model.ts';

const model = sdkModel();

/**
 * Every SDK's behaviour with a real server: signs in, calls every operation, and receives everything while nodes are
 * killed.
 */
export function describeWithRealServer(start: (url: string) => Promise<Driver>): void {
  describe('with a server', () => {
    let server: TestServer;
    let driver: Driver;
    beforeAll(async () => {
      server = await startTestServer();
      driver = await start(server.url);
    }, 120_000);
    afterAll(async () => {
      await driver?.[Symbol.asyncDispose]();
      await server?.close();
    });

    test('a player signs in as a guest, again as the same guest, and with a wallet', async () => {
      const world = await createWorld(server);
      const { gameId } = world;
      const guest = await driver.signInAsGuest({ url: server.url, gameId });
      const again = await driver.signInAsGuest({
        url: server.url,
        gameId,
        deviceSecret: guest.deviceSecret,
      });
      expect(again).toMatchObject({ wallet: guest.wallet, deviceSecret: guest.deviceSecret });
      expect(again.launcherJwt).not.toBe(guest.launcherJwt);
      const signedIn = await driver.signInWithWallet(world.keys.owner, { url: server.url, gameId });
      const client = await driver.open({ url: server.url, launcherJwt: String(signedIn.launcherJwt) });
      await client.ready();
      expect(await client.call('channelStatus')).toMatchObject({ wallet: world.owner.wallet, present: true });
      await client.close();
    });

    test.each(launcherOperations)('$name returns what the registry declares', async (operation) => {
      const described = model.operations.find(({ name }) => name === operation.name);
      if (!described) throw new Error(`the model has no ${operation.name}`);
      const world = await createWorld(server);
      const { input, caller = 'owner', answer } = caseOf(operation);
      const isServer = caller === 'gameServer';
      const launcherJwt = world.tokens[caller];
      // Calls about the connection carry its token; all others go over an anonymous one, as a launcher does.
      const options: OpenOptions = {
        url: server.url,
        ...(isServer && { gameSecret: world.gameSecret }),
        ...(described.isAboutConnection && { launcherJwt }),
      };
      const client = await driver.open(options);
      await client.ready();
      const sent = await input(world, caller);
      const ofPlayer = isServer && described.server === 'player' ? { wallet: world.owner.wallet } : {};
      const token = launcherJwt !== undefined && !described.isAboutConnection ? { launcherJwt } : {};
      const answered = await client.call(operation.name, sent, { ...token, ...ofPlayer });
      await client.close();
      expect(misfits(model, { kind: 'record', name: described.output }, answered)).toEqual([]);
      expect(operation.output.safeParse(answered).error).toBeUndefined();
      expect(normalised(answered, world)).toEqual(answer);
    });
  });

  test('as a launcher, it misses, repeats and reorders nothing while nodes and Redis are killed', {
    timeout: 120_000,
  }, async ({ skip, annotate }) => {
    skip(redisMissing !== null, redisMissing ?? '');
    let driver: Driver | undefined;
    const starting = new Map<string, Promise<Driver>>();
    try {
      const counts = await runLedger(
        { sockets: 16, messagesPerSecond: 25, kills: 1, redisOutagesMs: [1_000] },
        undefined,
        async (options) => {
          const starts = starting.get('driver') ?? start(options.url);
          starting.set('driver', starts);
          driver = await starts;
          return listening(await driver.open(options));
        },
      );
      await annotate(JSON.stringify(counts));
      process.stdout.write(`${JSON.stringify(counts)}\n`);
      expect(counts).toMatchObject({
        caughtUp: true,
        nodeKills: 2,
        crashes: 0,
        missed: 0,
        acknowledgedMissed: 0,
        outOfOrder: 0,
        duplicates: 0,
        altered: 0,
        prizesMissed: 0,
        prizesTwice: 0,
        resyncs: 0,
      });
      // Otherwise the run tested nothing.
      expect(counts.reconnects).toBeGreaterThanOrEqual(8);
      expect(counts.acknowledged).toBeGreaterThan(50);
    } finally {
      await driver?.[Symbol.asyncDispose]();
    }
  });
}

/** A driver's client in the form the ledger expects. */
async function listening(client: DriverClient): Promise<Listening> {
  let start: Awaited<ReturnType<DriverClient['cursors']>> = {};
  return {
    received: client.received as Listening['received'],
    resyncs: client.resyncs,
    cursors: () => client.cursors(),
    async ready() {
      await client.ready();
      start = await client.cursors();
    },
    start: () => start,
    connections: () => client.statuses.filter((status) => status === 'live').length,
    close: () => client.close(),
  };
}
