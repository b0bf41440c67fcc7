/**
 * The error texts of on-chain actions when the database lacks later changes: after a restore, or after a failover that
 * lost some. Queued actions are held with this one:
 */
export const heldActionError =
  'It was queued before later changes of the database were lost (a restored backup, or a failover) and may have been ' +
  'executed since: check the chain, and retry it if not';

/**
 * Marks submitted ones, whose transaction may have been replaced by one that the database does not know. Stored rows are
 * recognized by this text: a change of it would let actions that were marked before an upgrade be sent again.
 */
export const sentBeforeLossError =
  'It was sent before later changes of the database were lost (a restored backup, or a failover)';

/** Of marked ones, once another transaction has used their nonce. */
export const nonceUsedSinceLossError =
  'Another transaction has used its nonce, and may have executed it before later changes of the database were lost (a ' +
  'restored backup, or a failover): check the chain, and retry it if it was not executed';
