import { type RowOf, table } from '../../core/storage/table.ts';

const triggerColumns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  nonce: 'text?',
  trigger: 'text',
  value: 'real?',
  /** Null: the value was a number, or omitted. */
  valueText: 'text?',
  /** JSON array of types. */
  actions: 'json',
  at: 'ms',
} as const;

export const ruleTriggers = table('rule_triggers', triggerColumns, {
  key: ['id'],
  indexes: { byNonce: { on: ['gameId', 'wallet', 'nonce'], unique: true } },
  of: { player: 'wallet', game: 'gameId' },
  counted: { rows: 1, texts: ['nonce', 'trigger', 'valueText', 'actions'] },
});
export type RuleTriggerRow = RowOf<typeof triggerColumns>;

/** Executions of rules with a limit, per player, numbered from 1. */
export const ruleExecutions = table(
  'rule_executions',
  { gameId: 'uuid', wallet: 'text', ruleKey: 'text', n: 'int', at: 'ms' },
  {
    key: ['gameId', 'wallet', 'ruleKey', 'n'],
    indexes: { newest: { on: ['gameId', 'wallet', 'ruleKey', 'n'] } },
    of: { player: 'wallet', game: 'gameId' },
  },
);
