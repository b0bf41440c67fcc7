import type { PlayerPart, StatusChoice } from './player-part.ts';

type Parts = readonly (readonly [wallet: string, part: PlayerPart])[];
type Choices = readonly (readonly [wallet: string, choice: StatusChoice])[];
export type PartChanges = readonly (readonly [wallet: string, part: PlayerPart | null])[];

/** What nodes send each other; `node` is the sender. A node counts its changes in `version`. */
export type ReplicaMessage =
  | { type: 'changes'; node: string; version: number; changes: PartChanges }
  | { type: 'beat'; node: string; version: number }
  /** Asks a node for all its parts; null: every node. */
  | { type: 'ask'; node: string; of: string | null }
  /** All parts, `total` of them, in several messages; `at` is the place of the first one in this message. */
  | { type: 'all'; node: string; version: number; total: number; at: number; parts: Parts }
  /** Statuses of players who have left the node; sent with its parts. Nodes that do not know this take it for a beat. */
  | { type: 'choices'; node: string; version: number; choices: Choices }
  | { type: 'goodbye'; node: string };

/** Broadcasts to the other nodes; messages may be lost, duplicated and reordered. */
export interface ReplicaBus {
  send(message: ReplicaMessage): void;
  /** Whether it works, as far as is known. */
  isUp(): boolean;
  /** Those of these nodes whose connection to it is closed, as far as is known. Never rejects. */
  closedAmong(nodeIds: readonly string[]): Promise<readonly string[]>;
}
