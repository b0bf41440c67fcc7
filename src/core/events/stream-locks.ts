import type { Owner } from '../schemas/owner.ts';
import type { Request, Tx } from '../storage/command.ts';
import { streamOf } from './stream.ts';
import { type StreamRow, streams } from './streams.ts';

/** A stream as it begins; the engine says when it is to be trimmed first. */
function begun(name: string, wallet: string | null): StreamRow {
  return { name, wallet, seq: 0, firstSeq: 1, trimAt: 0 };
}

/** Has the stream of a player in a game to itself, and with it all that is the player's there. */
export function lockPlayer(tx: Tx, { gameId, wallet }: Owner): Request<StreamRow> {
  return lockPlayerStream(tx, streamOf.player(gameId, wallet), wallet);
}

/** The same, where the stream's name is at hand. */
export function lockPlayerStream(tx: Tx, stream: string, wallet: string): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, stream, begun(stream, wallet));
}

/** Has a message channel's stream to itself. */
export function lockChannel(tx: Tx, channelId: string): Request<StreamRow> {
  const name = streamOf.channel(channelId);
  return tx.lock<StreamRow>(streams, name, begun(name, null));
}

/**
 * Has the list of games to itself, so that what was found free in it (a slug) still is at the commit. A stream that nothing
 * is ever written to stands for it.
 */
export function lockGameList(tx: Tx): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, 'games', begun('games', null));
}

/** Likewise the list of administrators, so that a name that was found free in it still is at the commit. */
export function lockAdministratorList(tx: Tx): Request<StreamRow> {
  return tx.lock<StreamRow>(streams, 'administrators', begun('administrators', null));
}

/** Has a game's public stream to itself. */
export function lockGame(tx: Tx, gameId: string): Request<StreamRow> {
  const name = streamOf.game(gameId);
  return tx.lock<StreamRow>(streams, name, begun(name, null));
}
