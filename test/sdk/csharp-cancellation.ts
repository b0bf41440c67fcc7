import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { csharpDriver } from './csharp-driver.ts';
import { Driver, DriverError } from './driver.ts';
import { ScriptedServer } from './scripted-server.ts';

const launcherJwt = 'a token';

async function reasonOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    (answer) => new Error(`answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DriverError)) throw error;
  return error.refusal.reason;
}

/** What a `CancellationToken` does, in the C# SDK only. */
export function testCancellation(): void {
  describe('a cancelled call', () => {
    let driver: Driver;
    let count = 0;
    beforeAll(async () => {
      driver = await Driver.start(csharpDriver);
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    const cancel = (cancellation: string) => driver.ask({ do: 'cancel', options: { cancellation } });
    const newName = () => `cancellation ${++count}`;

    test.each(['socket', 'http'] as const)(
      'over %s ends at once, and the client goes on',
      async (callOver) => {
        await using server = await ScriptedServer.start();
        server.stream('player:a game:0xb2');
        const client = await driver.open({ url: server.url, launcherJwt, callOver });
        await client.ready();
        const cancellation = newName();
        server.outcomes.push({ waits: true });
        const call = reasonOf(client.call('getUserScore', {}, { cancellation }));
        await until('the call', () => server.calls.length === 1);
        await cancel(cancellation);
        expect(await call).toBe('cancelled');
        expect(await client.call('getUserScore')).toEqual({ success: true });
        // Nothing is sent for a token that is cancelled already.
        expect(await reasonOf(client.call('getUserScore', {}, { cancellation }))).toBe('cancelled');
        expect(server.calls).toHaveLength(2);
        expect(server.handshakes).toHaveLength(1);
        await client.close();
      },
    );

    test('that waits for a connection is not sent, and neither is one that is waited for', async () => {
      await using server = await ScriptedServer.start();
      server.stream('player:a game:0xb2');
      server.refusals.push({ code: 503, reason: 'server_busy', retryAfterSeconds: 1 });
      const client = await driver.open({ url: server.url, launcherJwt });
      const cancellation = newName();
      const waiting = [
        reasonOf(client.call('setUserScore', { score: 1 }, { cancellation })),
        reasonOf(client.ready({ cancellation })),
      ];
      await until('a refusal', () => server.handshakes.length === 1);
      await cancel(cancellation);
      expect(await Promise.all(waiting)).toEqual(['cancelled', 'cancelled']);
      await client.ready();
      expect(await client.call('getUserScore')).toEqual({ success: true });
      expect(server.calls.map(({ name }) => name)).toEqual(['getUserScore']);
      await client.close();
    });

    test('of following friends ends at once, and nothing is shown to its listener', async () => {
      await using server = await ScriptedServer.start();
      server.stream('account:0xb2');
      const client = await driver.open({ url: server.url, launcherJwt });
      await client.ready();
      const none = { success: true, friends: [], nextCursor: '', more: false };
      let isHeld = true;
      server.answers = {
        listFriends: () => (isHeld ? { waits: true } : { answer: none }),
        followPresence: () => ({ answer: none }),
      };
      const cancellation = newName();
      const following = reasonOf(client.followFriends({ cancellation }));
      await until('the read', () => server.calls.some(({ name }) => name === 'listFriends'));
      await cancel(cancellation);
      expect(await following).toBe('cancelled');
      isHeld = false;
      server.break(); // the read that waits is over
      expect((await client.followFriends()).shown.at(-1)).toMatchObject({ friends: [] });
      await client.close();
    });

    test('leaves the queue unless it has been sent; those behind it are sent', async () => {
      await using server = await ScriptedServer.start();
      server.stream('player:a game:0xb2');
      const client = await driver.open({ url: server.url, launcherJwt });
      await client.ready();
      server.outcomes.push({ waits: true });
      const names = [newName(), newName(), newName()];
      const [sent, unsent, kept] = names.map((name, at) =>
        client.queue('setUserScore', { score: at + 1 }, { cancellation: name }),
      );
      const reasons = [sent, unsent].map((call) => reasonOf(call as Promise<unknown>));
      await until('the first', () => server.calls.length === 1);
      await cancel(names[0] ?? '');
      await cancel(names[1] ?? '');
      expect(await Promise.all(reasons)).toEqual(['cancelled', 'cancelled']);
      expect((await client.saved())?.queue?.map(({ input }) => input)).toEqual([{ score: 1 }, { score: 3 }]);
      server.break(); // without a response to the first: it may have been executed
      expect(await kept).toEqual({ success: true });
      expect(server.calls.map(({ data }) => data.score)).toEqual([1, 1, 3]);
      expect(server.calls[1]?.data.idempotencyKey).toBe(server.calls[0]?.data.idempotencyKey);
      await client.close();
    });
  });
}
