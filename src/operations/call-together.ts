/** One operation of a batch, as it is sent. */
export interface BatchedCall {
  /** The operation's name. */
  method: string;
  /** Its input, as with method dispatch. */
  data: Readonly<Record<string, unknown>>;
}

/**
 * Carries out operations for the caller of a batch, in one transaction: all of them or none. Answers what each of them
 * answers, in their order. @throws GantryError of the first that is refused, whose place its message and its fields name
 */
export type CallTogether = (calls: readonly BatchedCall[]) => Promise<unknown[]>;
