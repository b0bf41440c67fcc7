import type { StoredEvent } from '../../core/events/stream.ts';
import { playerBlocksPatched } from '../../features/messages/blocks/events.ts';
import { changesRanking } from '../../features/scores/events.ts';

/**
 * Whom this node has sockets of: players by wallet, from before a socket reads its positions until it has left, and
 * games whose public streams are followed, by id. They are held as hashes, by which other nodes name who an event
 * concerns. An event that concerns nobody here can be skipped.
 */
export class Interests {
  /** The number of sockets by hash. */
  readonly #counts = new Map<number, number>([[everyNode, 1]]);

  add(name: string): void {
    const hash = hashOf(name);
    this.#counts.set(hash, (this.#counts.get(hash) ?? 0) + 1);
  }

  remove(name: string): void {
    const hash = hashOf(name);
    const count = this.#counts.get(hash) ?? 0;
    if (count > 1) this.#counts.set(hash, count - 1);
    else this.#counts.delete(hash);
  }

  has(hash: number): boolean {
    return this.#counts.has(hash);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 1; // `everyNode`
  }
}

/** The hashes of the players or the game that an event concerns. */
export function concernedBy({ audience, name }: StoredEvent): number[] {
  if (audience.kind === 'game') return [hashOf(audience.gameId)];
  if (audience.kind === 'account') return [hashOf(audience.wallet)];
  const { wallets, hiddenFrom, gameId } = audience;
  const hashes = wallets.map(hashOf);
  if (hiddenFrom) hashes.push(...hiddenFrom.map(hashOf));
  if (changesRanking({ name })) hashes.push(hashOf(gameId));
  if (name === playerBlocksPatched.name) hashes.push(everyNode); // friends of the player follow on any node
  return hashes;
}

/** No name has this hash but by chance. */
const everyNode = 0;

/** FNV-1a, as a signed 32-bit integer. Two names with the same hash cost no more than parsing some events in vain. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash | 0;
}
