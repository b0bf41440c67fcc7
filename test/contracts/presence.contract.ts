import { describe, expect, test } from 'vitest';
import { heartbeatLifetimeMs, type Presence } from '../../src/cluster/presence/presence.ts';

/** A presence of one node with a clock that can be advanced. */
export interface PresenceUnderTest extends AsyncDisposable {
  presence: Presence;
  /** Advances the clock, and then has the adapter expire heartbeats. */
  advance(ms: number): Promise<void>;
}

/** The contract of every presence (`src/cluster/presence/presence.ts`), tested through its interface alone. */
export function presenceContract(adapter: string, open: () => Promise<PresenceUnderTest>): void {
  describe(`${adapter} fulfils the presence contract`, () => {
    test('nobody is present at first', async () => {
      await using subject = await open();
      expect(await subject.presence.isPresent('session')).toBe(false);
    });

    test('the first socket to connect and the last to disconnect are distinguished from the others', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.connected('session', 'one')).toBe(true);
      expect(await presence.connected('session', 'two')).toBe(false);
      expect(await presence.disconnected('session', 'one')).toBe(false);
      expect(await presence.isPresent('session')).toBe(true);
      expect(await presence.disconnected('session', 'two')).toBe(true);
      expect(await presence.isPresent('session')).toBe(false);
      expect(await presence.connected('session', 'three')).toBe(true);
    });

    test('concurrent connects and disconnects cause one arrival and one departure', async () => {
      await using subject = await open();
      const { presence } = subject;
      const sockets = Array.from({ length: 20 }, (_, number) => `socket ${number}`);
      const came = await Promise.all(sockets.map((socket) => presence.connected('session', socket)));
      expect(came.filter(Boolean)).toHaveLength(1);
      const went = await Promise.all(sockets.map((socket) => presence.disconnected('session', socket)));
      expect(went.filter(Boolean)).toHaveLength(1);
    });

    test('present sessions are counted once, by a socket or a heartbeat', async () => {
      await using subject = await open();
      const { presence } = subject;
      await presence.connected('one', 'a');
      await presence.connected('one', 'b');
      await presence.heartbeat('one');
      await presence.heartbeat('other');
      expect(await presence.count()).toBe(2);
      await presence.disconnected('one', 'a');
      await presence.disconnected('one', 'b');
      expect(await presence.count()).toBe(2);
      await subject.advance(heartbeatLifetimeMs + 1_000);
      expect(await presence.count()).toBe(0);
    });

    test('an unknown or already disconnected socket changes nothing', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.disconnected('session', 'never there')).toBe(false);
      await presence.connected('session', 'one');
      expect(await presence.disconnected('session', 'never there')).toBe(false);
      expect(await presence.disconnected('another session', 'one')).toBe(false);
      expect(await presence.isPresent('session')).toBe(true);
      expect(await presence.disconnected('session', 'one')).toBe(true);
      expect(await presence.disconnected('session', 'one')).toBe(false);
    });

    test('sessions are independent', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.connected('one', 'a')).toBe(true);
      expect(await presence.connected('other', 'b')).toBe(true);
      expect(await presence.disconnected('one', 'a')).toBe(true);
      expect(await presence.isPresent('other')).toBe(true);
    });

    test('a heartbeat is an arrival, unless the session is present, and outlasts the sockets', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.heartbeat('session')).toBe(true);
      expect(await presence.heartbeat('session')).toBe(false);
      expect(await presence.connected('session', 'one')).toBe(false);
      expect(await presence.disconnected('session', 'one')).toBe(false);
      expect(await presence.isPresent('session')).toBe(true);
    });

    test('a heartbeat expires after three minutes, which is announced once', async () => {
      await using subject = await open();
      const { presence } = subject;
      const lapsed: string[] = [];
      presence.onChange((session, present) => {
        if (!present) lapsed.push(session);
      });
      await presence.heartbeat('session');
      await subject.advance(heartbeatLifetimeMs - 1_000);
      expect(await presence.isPresent('session')).toBe(true);
      expect(lapsed).toEqual([]);
      await subject.advance(2_000);
      expect(await presence.isPresent('session')).toBe(false);
      await subject.advance(2_000);
      expect(lapsed).toEqual(['session']);
      expect(await presence.heartbeat('session')).toBe(true);
    });

    test('each heartbeat restarts the timer', async () => {
      await using subject = await open();
      const { presence } = subject;
      const lapsed: string[] = [];
      presence.onChange((session, present) => {
        if (!present) lapsed.push(session);
      });
      await presence.heartbeat('session');
      await subject.advance(heartbeatLifetimeMs - 1_000);
      expect(await presence.heartbeat('session')).toBe(false);
      await subject.advance(heartbeatLifetimeMs - 1_000);
      expect(await presence.isPresent('session')).toBe(true);
      expect(lapsed).toEqual([]);
    });

    test('a heartbeat that expires while a socket is connected is not a departure; the disconnect then is', async () => {
      await using subject = await open();
      const { presence } = subject;
      const lapsed: string[] = [];
      presence.onChange((session, present) => {
        if (!present) lapsed.push(session);
      });
      await presence.heartbeat('session');
      await presence.connected('session', 'one');
      await subject.advance(heartbeatLifetimeMs + 1_000);
      expect(await presence.isPresent('session')).toBe(true);
      expect(lapsed).toEqual([]);
      expect(await presence.disconnected('session', 'one')).toBe(true);
    });
  });
}
