/** One operation of a batch, as received. */
export interface BatchedCall {
  /** The operation's name. */
  method: string;
  /** Its input, as with method dispatch. */
  data: Readonly<Record<string, unknown>>;
}

/**
 * Executes a batch's operations for its caller in one transaction, atomically. Returns their results in order.
 * @throws GantryError of the first operation that is refused; its message and fields name the operation's index
 */
export type RunBatch = (calls: readonly BatchedCall[]) => Promise<unknown[]>;
