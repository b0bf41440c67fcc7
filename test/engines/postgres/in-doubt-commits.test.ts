import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';

/** Where a connection is cut at the next commit: before the server receives it, or before its response. */
type Cut = 'before' | 'after' | null;

interface Wire extends AsyncDisposable {
  url: string;
  cut: Cut;
}

/** A proxy to PostgreSQL that can be cut at a commit. */
async function wireTo(database: string): Promise<Wire> {
  const target = new URL(database);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  const wire: Wire = {
    url: '',
    cut: null,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((client) => {
    const upstream = openSocket(port, target.hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', end);
    }
    let isMuted = false;
    /** The name under which it is prepared. */
    let commit: string | undefined;
    client.on('data', (chunk) => {
      commit ??= /(g\d+)\0COMMIT\0/.exec(chunk.toString('latin1'))?.[1];
      if (wire.cut !== null && commit !== undefined && chunk.includes(`\0${commit}\0`)) {
        isMuted = true;
        if (wire.cut === 'after') upstream.write(chunk);
        wire.cut = null;
        setTimeout(end, 200); // by then the server has executed the commit
        return;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isMuted) client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.port = String((server.address() as AddressInfo).port);
  wire.url = target.href;
  return wire;
}

describe.skipIf(noPostgres !== null)('a connection lost during the commit of a batch', () => {
  test.each([
    ['after', { doubtsCommitted: 1, doubtsUndone: 0 }],
    ['before', { doubtsCommitted: 0, doubtsUndone: 1 }],
  ] as const)('%s the server had received it: the batch is stored once', async (cut, counts) => {
    await using database = await freshSchema();
    await using wire = await wireTo(database.url);
    const db = await PostgresDatabase.open(wire.url, domain);
    const secret = { hash: 'h', sealedMd5: '', sealedSecret: '' };
    const { id: gameId } = await db.write(registerGame, { name: 'One' }, secret);
    const [ada, grace] = [randomWallet(), randomWallet()];
    for (const wallet of [ada, grace]) await db.write(startSession, { gameId, wallet }, 1e9);
    const { _id: channel } = await db.write(createChannel, { gameId, wallet: ada }, [grace]);
    const told: string[] = [];
    db.onCommit((events) => told.push(...events.map(({ stream, seq }) => `${stream} ${seq}`)));

    wire.cut = cut;
    const sent = await Promise.all(
      ['one', 'two', 'three'].map((text) => db.write(sendMessage, { gameId, wallet: ada }, channel, text)),
    );

    expect(sent.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    const rows = (await rowsIn(db, 'SELECT content FROM messages', {})) as { content: string }[];
    expect(rows.map(({ content }) => content).sort()).toEqual(['one', 'three', 'two']);
    expect(await db.counts()).toMatchObject({ ...counts, doubtsUnknown: 0 });
    expect(new Set(told).size).toBe(3);
    await db.write(sendMessage, { gameId, wallet: grace }, channel, 'goes on');
    expect(told).toHaveLength(4);
    await db.close();
  });
});
