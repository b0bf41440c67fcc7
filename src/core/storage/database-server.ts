/** What a database server says of itself, and how it is reached: for whoever looks after it. */
export interface ServerCondition {
  /** As it names itself. */
  version: string;
  major: number;
  encoding: string;
  /** Settings as they hold for the connections of this user to this database. */
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** Which standbys commits wait for; '': none. */
  synchronousStandbys: string;
  autovacuum: string;
  /** It is a standby, or was set to take no writes. */
  isReadOnly: boolean;
  isEncrypted: boolean;
  /** Connections that can still be made, by every limit there is. */
  connectionsLeft: number;
  /** How many one node makes. */
  connectionsOfNode: number;
  /** One connection's transactions run on several of the server's: there is a pooler between that works so. */
  isPooledByTransaction: boolean;
  /** Its clock halfway between asking and the answer, and ours then, in Unix milliseconds. */
  clock: { theirs: number; ours: number };
  /** The median of a few, in milliseconds. */
  roundTripMs: number;
  /** How long the oldest transaction has been open, in seconds; nothing deleted since can be cleared away. */
  oldestTransactionSeconds: number;
  /** Replication slots nobody reads, for which the server keeps its log. */
  unreadSlots: readonly string[];
  /** Tables that have more deleted rows than others. */
  bloatedTables: readonly string[];
  /** Null: there is no schema yet. */
  schemaVersion: number | null;
  /** What this program works with. */
  latestSchema: number;
  /** Something encrypted with the secret key; null where there is nothing yet. */
  sealedSample: string | null;
}

/** Why a database server cannot be used: who is asked must mend something else in each case. */
export type ServerRefusal = { refused: 'credentials' | 'database' | 'connection'; why: string };

/** Looks at the server behind a URL, and changes nothing. */
export type InspectServer = (url: string) => Promise<ServerCondition | ServerRefusal>;
