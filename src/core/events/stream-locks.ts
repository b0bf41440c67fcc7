import type { Owner } from '../schemas/owner.ts';
import type { Request, Tx } from '../storage/command.ts';
import { streamOf } from './stream.ts';
import { type StreamRow, streams } from './tables.ts';

/** A new, empty stream; the engine sets `trimAt` when it is written. */
function newStream(name: string, wallet: string | null): StreamRow {
  return { name, wallet, seq: 0, firstSeq: 1, trimAt: 0 };
}

/** Locks the stream of a player in a game; the lock covers all of the player's data in the game. */
export function lockPlayer(tx: Tx, { gameId, wallet }: Owner): Request<StreamRow> {
  return lockPlayerStream(tx, streamOf.player(gameId, wallet), wallet);
}

/** The same, for a caller that already has the stream's name. */
export function lockPlayerStream(tx: Tx, stream: string, wallet: string): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, stream, newStream(stream, wallet));
}

/** Locks the stream of a player over all games; the lock covers the player's friendships, requests and invites. */
export function lockAccount(tx: Tx, wallet: string): Request<StreamRow> {
  return lockPlayerStream(tx, streamOf.account(wallet), wallet);
}

/** Locks the stream of a message channel. */
export function lockChannel(tx: Tx, channelId: string): Request<StreamRow> {
  const name = streamOf.channel(channelId);
  return tx.lock<StreamRow>(streams, name, newStream(name, null));
}

/**
 * Locks the list of games, so that a slug that was found to be free still is at the commit. The lock is on a stream
 * that never has any events.
 */
export function lockGameList(tx: Tx): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, 'games', newStream('games', null));
}

/** Locks the news of all games and of the installation, so that they are published in the order in which they are committed. */
export function lockNews(tx: Tx): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, 'news', newStream('news', null));
}

/** Locks the list of administrators, so that a name that was found to be free still is at the commit. */
export function lockAdministratorList(tx: Tx): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, 'administrators', newStream('administrators', null));
}

/** Locks a game's public stream. */
export function lockGame(tx: Tx, gameId: string): Request<StreamRow> {
  const name = streamOf.game(gameId);
  return tx.lock<StreamRow>(streams, name, newStream(name, null));
}
