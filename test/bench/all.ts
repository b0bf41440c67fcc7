import type { Benchmark } from './benchmark.ts';
import { board } from './benchmarks/board.ts';
import { boardDeep } from './benchmarks/board-deep.ts';
import { boardMixed } from './benchmarks/board-mixed.ts';
import { config } from './benchmarks/config.ts';
import { connect } from './benchmarks/connect.ts';
import { day } from './benchmarks/day.ts';
import { feed } from './benchmarks/feed.ts';
import { friends } from './benchmarks/friends.ts';
import { growth } from './benchmarks/growth.ts';
import { leaderboardDeep } from './benchmarks/leaderboard-deep.ts';
import { messages } from './benchmarks/messages.ts';
import { nodes } from './benchmarks/nodes.ts';
import { postgres } from './benchmarks/postgres.ts';
import { postgresHttp } from './benchmarks/postgres-http.ts';
import { rules } from './benchmarks/rules.ts';
import { scores } from './benchmarks/scores.ts';
import { scoresNaive } from './benchmarks/scores-naive.ts';
import { shards } from './benchmarks/shards.ts';
import { socket } from './benchmarks/socket.ts';
import { sockets } from './benchmarks/sockets.ts';
import { start } from './benchmarks/start.ts';
import { statements } from './benchmarks/statements.ts';
import { states } from './benchmarks/states.ts';

/** In the order they are run and shown. */
export const benchmarks: readonly Benchmark[] = [
  scores,
  scoresNaive,
  socket,
  board,
  boardDeep,
  boardMixed,
  leaderboardDeep,
  states,
  statements,
  feed,
  messages,
  rules,
  sockets,
  connect,
  friends,
  config,
  start,
  day,
  postgres,
  postgresHttp,
  nodes,
  shards,
  growth,
];
