import type { SealedColumn } from './database-file.ts';
import type { UpgradePlan, UpgradeSize } from './migrations.ts';

/** The condition of a database server and the connection to it, for its operator. */
export interface ServerCondition {
  /** The version string of the server. */
  version: string;
  major: number;
  encoding: string;
  /** Effective settings for connections of this user to this database. */
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** The standbys that commits wait for; '' for none. */
  synchronousStandbys: string;
  autovacuum: string;
  /** It is a standby, or set to read-only. */
  isReadOnly: boolean;
  isEncrypted: boolean;
  /** Remaining connections under every applicable limit. */
  connectionsLeft: number;
  /** How many connections a node opens at most. */
  connectionsOfNode: number;
  /** A connection pooler in transaction mode is in between: one client connection uses several server connections. */
  isPooledByTransaction: boolean;
  /** The server's clock and ours at the midpoint of the round trip, in Unix milliseconds. */
  clock: { theirs: number; ours: number };
  /** Median of several round trips, in milliseconds. */
  roundTripMs: number;
  /** Age of the oldest open transaction, in seconds; rows deleted since it began cannot be vacuumed. */
  oldestTransactionSeconds: number;
  /** Inactive replication slots, for which the server retains its write-ahead log. */
  unreadSlots: readonly string[];
  /** Tables with more dead rows than live ones. */
  bloatedTables: readonly string[];
  upgrade: UpgradePlan;
  /** Of that, by the server's estimates. */
  upgradeSize: UpgradeSize;
  /** The number of nodes that use it. */
  nodes: number;
  /** A value of the requested column; null when there is none yet. */
  sealedSample: string | null;
}

/** Why a database server cannot be used; each case needs a different fix. */
export type ServerRefusal = { refused: 'credentials' | 'database' | 'connection'; why: string };

/** Inspects the server at a URL without changing anything; samples a value of `sealed`. */
export type InspectServer = (url: string, sealed: SealedColumn) => Promise<ServerCondition | ServerRefusal>;
