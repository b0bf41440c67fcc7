import { describe, expect, test } from 'vitest';
import { heartbeatLifetimeMs, type Presence } from '../../src/presence/presence.ts';

/** A presence of one node, whose time can be moved on. */
export interface PresenceUnderTest extends AsyncDisposable {
  presence: Presence;
  /** Lets that much time pass, and then lets the adapter look for what has lapsed. */
  advance(ms: number): Promise<void>;
}

/** What every presence promises (`src/presence/presence.ts`), tried through its interface alone. */
export function presenceContract(adapter: string, open: () => Promise<PresenceUnderTest>): void {
  describe(`${adapter} keeps the promises of a presence`, () => {
    test('nobody is there at first', async () => {
      await using subject = await open();
      expect(await subject.presence.isPresent('session')).toBe(false);
    });

    test('the first socket to come and the last to go are told apart from the others', async () => {
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

    test('sockets that come at once, and go at once, make one coming and one going', async () => {
      await using subject = await open();
      const { presence } = subject;
      const sockets = Array.from({ length: 20 }, (_, number) => `socket ${number}`);
      const came = await Promise.all(sockets.map((socket) => presence.connected('session', socket)));
      expect(came.filter(Boolean)).toHaveLength(1);
      const went = await Promise.all(sockets.map((socket) => presence.disconnected('session', socket)));
      expect(went.filter(Boolean)).toHaveLength(1);
    });

    test('sessions where someone is there are counted once, by a socket or a heartbeat', async () => {
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

    test('a socket that is not known, or has gone already, changes nothing', async () => {
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

    test('sessions do not concern each other', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.connected('one', 'a')).toBe(true);
      expect(await presence.connected('other', 'b')).toBe(true);
      expect(await presence.disconnected('one', 'a')).toBe(true);
      expect(await presence.isPresent('other')).toBe(true);
    });

    test('a heartbeat is a coming, unless somebody is there, and outlasts the sockets', async () => {
      await using subject = await open();
      const { presence } = subject;
      expect(await presence.heartbeat('session')).toBe(true);
      expect(await presence.heartbeat('session')).toBe(false);
      expect(await presence.connected('session', 'one')).toBe(false);
      expect(await presence.disconnected('session', 'one')).toBe(false);
      expect(await presence.isPresent('session')).toBe(true);
    });

    test('a heartbeat lapses after three minutes, which is told once', async () => {
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

    test('each heartbeat counts anew', async () => {
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

    test('a heartbeat that lapses while a socket is there is no going; the socket then is', async () => {
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
