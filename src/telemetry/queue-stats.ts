/** Outcomes of actions of one kind in this process since its start. */
export interface QueueCounts {
  confirmed: number;
  failed: number;
  /** Attempts to be retried; transactions that are sent to a chain again are not counted. */
  retried: number;
}

/**
 * Statistics of one kind of action. Depth and age come from the database; the counts are this process's since its
 * start.
 */
export interface QueueStats extends QueueCounts {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** The age of the oldest of them, in seconds; 0 if there is none. */
  oldestSeconds: number;
}
