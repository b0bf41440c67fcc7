import { Connection } from '../../src/engines/postgres/connection.ts';

/** SQL for the numbers from 0, `$2` of them; and for the ids of the player with number `n`, `$1` being the game. */
export const numbers = 'FROM generate_series(0, $2::int - 1) AS n';
const wallet = `'0x' || lpad(to_hex(n), 40, '0')`;
const name = `'player:' || $1::text || ':' || ${wallet}`;
export const streamId = `substr(encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), 1, 32)::uuid`;
export const scoreId = `md5('score' || n)::uuid`;

/** Inserts players into a game, directly into the tables, and in the same transaction their further data. */
export async function fillPlayers(
  url: string,
  gameId: string,
  players: number,
  further: (connection: Connection) => Promise<unknown>,
): Promise<void> {
  const connection = await Connection.open(url, 'gantry players');
  try {
    await connection.script('BEGIN');
    await connection.script('SET LOCAL statement_timeout = 0');
    const fillings = [
      `INSERT INTO players (wallet, user_id, username, avatar, created_at)
        SELECT ${wallet}, gen_random_uuid(), '', '', 1 ${numbers} WHERE $1::text <> ''`,
      `INSERT INTO streams (name, wallet, seq, first_seq, trim_at, id)
        SELECT ${name}, ${wallet}, 1, 1, 4000000000000, ${streamId} ${numbers}`,
    ];
    for (const text of fillings) await connection.run(text, [gameId, players]);
    await further(connection);
    await connection.script('COMMIT');
    await connection.script('SET statement_timeout = 0');
    // What the server would start on its own a little later, during the measurement.
    await connection.script('VACUUM (ANALYZE)');
    await connection.script('CHECKPOINT');
  } finally {
    await connection.close();
  }
}
