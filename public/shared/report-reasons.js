/** @typedef {import('../../src/client/operation-types.ts').OperationInput<'reportPlayer'>['reason']} ReportReason */

/**
 * What players report, in words.
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
  other: 'Something else',
};
