import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { decodeJwt } from 'jose';
import { newId } from '../../../src/core/schemas/ids.ts';
import { openDatabase } from '../../../src/engines/sqlite/open-database.ts';
import { listen } from './listen.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Sets scores without group commit: one transaction per request, on a database with the same tables and settings as
 * ours, using our statements. It trusts every token, and notifies nobody.
 */
const db = openDatabase(join(process.argv[2] ?? '', 'naive.db'));
const best = db.prepare<[number], { sort_score: number }>('SELECT sort_score FROM board WHERE stream_id = ?');
const insertScore = db.prepare(
  `INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
   VALUES (?, ?, ?, ?, ?, ?, ?)`,
);
const setBest = db.prepare(
  `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at) VALUES (?, 1, ?, ?, ?)
   ON CONFLICT (stream_id) DO UPDATE SET
     score_id = excluded.score_id, sort_score = excluded.sort_score, reached_at = excluded.reached_at`,
);
const streamIds = new Map<string, number>();
const advance = db.prepare<[number], { seq: number }>(
  'UPDATE streams SET seq = seq + 1 WHERE id = ? RETURNING seq',
);
const begin = db.prepare<[string, string, number], { id: number }>(
  'INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 0, 1, ?) RETURNING id',
);
const insertEvent = db.prepare(
  'INSERT INTO events (stream_id, seq, name, record, at) VALUES (?, ?, ?, ?, ?)',
);

const setScore = db.transaction((gameId: string, wallet: string, score: number) => {
  const now = Date.now();
  const id = newId();
  const record = {
    _id: id,
    nonce: id,
    gameId,
    normalizedAddress: wallet,
    score,
    updatedAt: now,
  };
  const stream = `player:${gameId}:${wallet}`;
  const streamId = streamIds.get(stream) ?? begin.get(stream, wallet, now + weekMs)?.id ?? 0;
  streamIds.set(stream, streamId);
  const held = best.get(streamId);
  if (!held || -score < held.sort_score) setBest.run(streamId, record._id, -score, now);
  const seq = advance.get(streamId)?.seq;
  insertScore.run(record._id, streamId, seq, null, score, now, now);
  insertEvent.run(streamId, seq, 'scores created', JSON.stringify(record), now);
  return record;
}).immediate;

const players = new Map<string, { gameId: string; address: string }>();

function playerOf(token: string): { gameId: string; address: string } {
  const known = players.get(token) ?? decodeJwt<{ gameId: string; address: string }>(token);
  players.set(token, known);
  return known;
}

const app = express();
app.use(express.json());
app.post('/launcher/set-user-score', (request, response) => {
  const { gameId, address } = playerOf(request.body.launcherJwt);
  response.json({ success: true, newScore: setScore(gameId, address, request.body.score) });
});
listen(createServer(app));
