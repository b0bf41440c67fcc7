/** @typedef {import('../../src/sdk/client/operation-types.ts').OperationInput<'reportPlayer'>['reason']} ReportReason */

/**
 * Labels of the report reasons.
 * @type {Readonly<Record<ReportReason, string>>}
 */
export const reportReasons = {
  spam: 'Spam',
  harassment: 'Harassment',
  hate: 'Hate',
  sexual: 'Sexual content',
  violence: 'Violence',
  cheating: 'Cheating',
  impersonation: 'Impersonation',
  other: 'Other',
};
