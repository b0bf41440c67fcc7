import { defineEvent } from '../../core/events/event.ts';
import { actionRecord } from './action.ts';

export const ruleActionPatched = defineEvent('rule-actions patched', actionRecord);
