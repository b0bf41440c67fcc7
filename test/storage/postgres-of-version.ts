import { Connection } from '../../src/engines/postgres/connection.ts';
import { migrations } from '../../src/engines/postgres/migrate.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { gameId } from './database-of-version.ts';

const id = (kind: number, number: string) =>
  `('01900000-0000-700${kind}-8000-' || lpad(${number}, 12, '0'))::uuid`;
const wallet = (number: string) => `'0x' || lpad(to_hex(${number}), 40, '0')`;
const stream = (name: string) => `substr(encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), 1, 32)::uuid`;
const streamOf = (number: string) => `'player:${gameId}:' || ${wallet(number)}`;

/** The ids of single rows, as `id` makes them. */
export const idsOnPostgres = {
  session: '01900000-0000-7001-8000-000000000005',
  channel: '01900000-0000-7002-8000-000000000000',
};

/** Rows in the tables of the first schema, of which each player has the same as in `database-of-version.ts`. */
const fillFirst = (players: number) => `
INSERT INTO games VALUES ('${gameId}', 'race', 'Race', 'game', '', '[]', '{}',
  '[{"trigger":"win","actions":[{"type":"Notify","message":"Won","notificationType":"success"}]}]', 3, 1);
INSERT INTO game_secrets VALUES ('hash', '${gameId}', 'md5', 'sealed', 1, NULL);
CREATE TEMP TABLE n AS SELECT generate_series(0, ${players - 1})::int AS n;
INSERT INTO players SELECT ${wallet('n')}, ${id(0, 'n::text')}, 'Player ' || n, '', n FROM n;
INSERT INTO channel_sessions SELECT ${id(1, 'n::text')}, '${gameId}', ${wallet('n')}, 1, 9999999999999, NULL, NULL FROM n;
INSERT INTO told_present VALUES ('${idsOnPostgres.session}');
INSERT INTO write_lanes (lane, n, position) VALUES (0, 1, ${players});
INSERT INTO streams SELECT ${streamOf('n')}, ${wallet('n')}, 1, 1, 9, ${stream(streamOf('n'))}, 0, n + 1 FROM n;
INSERT INTO events SELECT ${stream(streamOf('n'))}, 1, 'scores created', '{}', 1, 0, n + 1, NULL, NULL FROM n;
INSERT INTO scores SELECT ${id(3, 'n::text')}, ${stream(streamOf('n'))}, 1, 'nonce-' || n, n, 100, 300 FROM n;
INSERT INTO board SELECT ${stream(streamOf('n'))}, '${gameId}', ${id(3, 'n::text')}, -n, 100 FROM n;
INSERT INTO boards VALUES ('${gameId}', '${gameId}');
INSERT INTO board_counts VALUES ('${gameId}', '-Infinity', 0, '00000000-0000-0000-0000-000000000000', ${players});
INSERT INTO states SELECT ${id(4, 'n::text')}, '${gameId}', ${wallet('n')}, 'save', 'cid', '{"level":' || n || '}', 5, 1 FROM n;
INSERT INTO play_sessions SELECT ${id(5, 'n::text')}, '${gameId}', ${wallet('n')}, '{}', 1, 2, NULL FROM n;
INSERT INTO activities SELECT ${id(6, 'n::text')}, '${gameId}', ${wallet('n')}, 'off-chain', 'won', 'w', n FROM n;
INSERT INTO notifications SELECT ${id(7, 'n::text')}, '${gameId}', ${wallet('n')}, 'Hello', 'success', 1, 1, NULL FROM n;
INSERT INTO storage_use SELECT '${gameId}', ${wallet('n')}, 1024 + length('{"level":' || n || '}{}')
  + CASE n WHEN 0 THEN 512 + length('Hello') ELSE 0 END FROM n;
INSERT INTO message_channels VALUES ('${idsOnPostgres.channel}', '${gameId}', ${wallet('0')} || ',' || ${wallet('1')}, '', '', 1, 1, 2);
INSERT INTO participants SELECT '${idsOnPostgres.channel}', ${wallet('n')}, '${gameId}', 0, '["send-messages"]', n, 0, '' FROM n WHERE n < 2;
INSERT INTO streams VALUES ('channel:${idsOnPostgres.channel}', NULL, 1, 1, 9, ${stream(`'channel:${idsOnPostgres.channel}'`)}, NULL, NULL);
INSERT INTO messages VALUES (${id(8, "'0'")}, '${idsOnPostgres.channel}', ${wallet('0')}, 'Hello', '[1]', 2, 2);
INSERT INTO rule_triggers VALUES (${id(9, "'0'")}, '${gameId}', ${wallet('0')}, 'n', 'win', NULL, '[]', 5);
INSERT INTO bans VALUES (${wallet('1')}, '${gameId}', 'cheating', 5);
INSERT INTO audit_log VALUES (${id(9, "'1'")}, 5, 'cli', 'createGame', '{}', 'ok');
INSERT INTO actions SELECT ${id(9, '(n + 100)::text')}, 'chain', '1:0x0', 'IssueToken', '${gameId}', ${wallet('n')}, 't', '{"amount":"1"}',
  CASE n % 2 WHEN 0 THEN 'confirmed' ELSE 'failed' END, 1, 1, 1, NULL, 0, NULL, NULL, n, n, n FROM n;
INSERT INTO spent VALUES ('${gameId}', '', '', 1, '7');
INSERT INTO grants VALUES ('${gameId}', ${wallet('0')}, 'first-win', '', 1, 5);
DROP TABLE n;
`;

/**
 * Makes a database grow from schema to schema, with rows in the tables of the first: `copyOf` copies it as a Gantry of
 * that version left it. Ask for versions in their order.
 */
export async function growDatabase(
  players: number,
): Promise<{ copyOf(version: number): Promise<TestDatabase> } & AsyncDisposable> {
  const growing = await freshDatabase();
  let version = 0;
  return {
    async copyOf(wanted) {
      const connection = await Connection.open(growing.url, 'gantry migration');
      await connection.script(`CREATE TABLE IF NOT EXISTS schema_version
        (id boolean PRIMARY KEY DEFAULT true CHECK (id), version integer NOT NULL)`);
      for (const { run } of migrations.slice(version, wanted)) {
        if (typeof run === 'string') await connection.script(run);
        else await run(connection);
        if (++version === 1) await connection.script(fillFirst(players));
      }
      await connection.script(
        `DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (${version})`,
      );
      await connection.close();
      return freshDatabase(new URL(growing.url).pathname.slice(1));
    },
    [Symbol.asyncDispose]: () => growing[Symbol.asyncDispose](),
  };
}
