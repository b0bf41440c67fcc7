import { parseArgs } from 'node:util';
import { defaultRetention } from '../../src/core/events/retention.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';

// A node that writes as fast as it gets acknowledgements, and reports every acknowledged write: one JSON line each,
// `{"score":n}` or `{"message":n}`, and `{"counts":…}` periodically. Ends only by being killed.

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    game: { type: 'string', default: '' },
    channel: { type: 'string', default: '' },
    wallets: { type: 'string', default: '' },
  },
});
const wallets = values.wallets.split(',');
/** Acknowledged writes are compared with the events: the channel's stream gets more than a stream keeps by default. */
const retention = { ...defaultRetention, maxCount: 10_000_000 };
const db = await opened();
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ ready: true });

/** Once PostgreSQL is up, which may be about to be killed too. */
async function opened(): Promise<PostgresDatabase> {
  for (;;) {
    try {
      return await PostgresDatabase.open(values.url, domain, { retention, writesInThread: true });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

let made = 0;
const work = async () => {
  for (;;) {
    const n = made++;
    const wallet = wallets[n % wallets.length] ?? '';
    const owner = { gameId: values.game, wallet };
    const text = `${values.name}-${n}`;
    try {
      if (n % 3 === 0) {
        await db.write(sendMessage, { ...owner, wallet: wallets[0] ?? '' }, values.channel, text);
        say({ message: text });
      } else {
        await db.write(setScore, owner, n, text);
        say({ score: text });
      }
    } catch {
      // Refused because the database was down, or outcome unknown: it counts as neither.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};
setInterval(async () => say({ counts: await db.counts() }), 200);
await Promise.all(Array.from({ length: 24 }, work));
