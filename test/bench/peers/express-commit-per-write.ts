import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { decodeJwt } from 'jose';
import { newId } from '../../../src/domain/ids.ts';
import { openDatabase } from '../../../src/store/sqlite/open-database.ts';
import { listen } from './listen.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Sets scores as one would without group commit: a transaction for every request, on a database of the same
 * tables and settings as ours, with the statements ours takes. It believes every token, and tells nobody.
 */
const db = openDatabase(join(process.argv[2] ?? '', 'naive.db'));
const best = db.prepare<[string, string], { sort_score: number }>(
  'SELECT sort_score FROM board WHERE game_id = ? AND wallet = ?',
);
const insertScore = db.prepare(
  `INSERT INTO scores (id, game_id, wallet, nonce, score, reached_at, updated_at, revision)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
);
const setBest = db.prepare(
  `INSERT INTO board (game_id, wallet, score_id, sort_score, reached_at) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (game_id, wallet) DO UPDATE SET
     score_id = excluded.score_id, sort_score = excluded.sort_score, reached_at = excluded.reached_at`,
);
const advance = db.prepare<[string, string, number], { id: number; seq: number }>(
  `INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 1, 1, ?)
   ON CONFLICT (name) DO UPDATE SET seq = seq + 1 RETURNING id, seq`,
);
const insertEvent = db.prepare(
  'INSERT INTO events (stream_id, seq, name, record, at) VALUES (?, ?, ?, ?, ?)',
);

const setScore = db.transaction((gameId: string, wallet: string, score: number) => {
  const now = Date.now();
  const record = {
    _id: newId(),
    nonce: newId(),
    gameId,
    normalizedAddress: wallet,
    score,
    updatedAt: now,
  };
  const held = best.get(gameId, wallet);
  if (!held || -score < held.sort_score) setBest.run(gameId, wallet, record._id, -score, now);
  const place = advance.get(`player:${gameId}:${wallet}`, wallet, now + weekMs);
  insertScore.run(record._id, gameId, wallet, record.nonce, score, now, now, place?.seq);
  insertEvent.run(place?.id, place?.seq, 'scores created', JSON.stringify(record), now);
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
