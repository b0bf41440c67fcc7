import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { problemAt, TextField } from './fields.js';

/** @typedef {import('./game-view.js').Game['policies']['spending']} Spending */
/** @typedef {{ key: number, chainId: string, contract: string, perDay: string, perPlayerPerDay: string }} TypedToken */
/** @typedef {{ perDay: string, perPlayer: string, tokens: readonly TypedToken[] }} TypedSpending as typed */

let lastKey = 0;

/** @param {Spending} spending @returns {TypedSpending} */
export function typedSpending({ transactionsPerDay, transactionsPerPlayerPerDay, tokens }) {
  return {
    perDay: String(transactionsPerDay),
    perPlayer: String(transactionsPerPlayerPerDay),
    tokens: tokens.map((token) => ({ ...token, chainId: String(token.chainId), key: ++lastKey })),
  };
}

/** @param {TypedSpending} typed @returns {Spending} */
export function spendingOf({ perDay, perPlayer, tokens }) {
  return {
    transactionsPerDay: Number(perDay),
    transactionsPerPlayerPerDay: Number(perPlayer),
    tokens: tokens.map(({ chainId, contract, perDay: all, perPlayerPerDay }) => ({
      chainId: Number(chainId),
      contract: contract.trim(),
      perDay: all.trim(),
      perPlayerPerDay: perPlayerPerDay.trim(),
    })),
  };
}

/**
 * How much the rules of a game may spend on chains per day: transactions, and amounts per token.
 * @param {{ value: TypedSpending, onValue: (value: TypedSpending) => void, error: unknown }} props
 */
export function SpendingFields({ value, onValue, error }) {
  const { tokens } = value;
  /** @param {number} index @param {string} field */
  const problem = (index, field) => problemAt(error, `policies.spending.tokens.${index}.${field}`);
  /** @param {number} index @param {keyof TypedToken} field @returns {(text: string) => void} */
  const set = (index, field) => (text) =>
    onValue({
      ...value,
      tokens: tokens.map((token, at) => (at === index ? { ...token, [field]: text } : token)),
    });
  const blank = () => ({ key: ++lastKey, chainId: '', contract: '', perDay: '', perPlayerPerDay: '' });
  return html`
    <fieldset class="choices one-column">
      <legend>On-chain spending limits, per day (UTC)</legend>
      <div class="form-row">
        <${TextField} label="Transactions" type="number" min="0" step="1" required value=${value.perDay} problem=${problemAt(error, 'policies.spending.transactionsPerDay')} onValue=${(/** @type {string} */ perDay) => onValue({ ...value, perDay })} hint="0: the game's rules send no transactions." />
        <${TextField} label="Transactions per player" type="number" min="0" step="1" required value=${value.perPlayer} problem=${problemAt(error, 'policies.spending.transactionsPerPlayerPerDay')} onValue=${(/** @type {string} */ perPlayer) => onValue({ ...value, perPlayer })} />
      </div>
      ${tokens.map(
        (token, index) => html`
          <div key=${token.key} class="form-group" role="group" aria-label="Token ${index + 1}">
            <div class="form-row">
              <${TextField} label="Chain ID" type="number" min="1" step="1" required value=${token.chainId} problem=${problem(index, 'chainId')} onValue=${set(index, 'chainId')} />
              <${TextField} label="Token contract" mono required maxlength=${42} spellcheck=${false} placeholder="0x…" value=${token.contract} problem=${problem(index, 'contract')} onValue=${set(index, 'contract')} />
            </div>
            <div class="form-row">
              <${TextField} label="Amount" inputmode="numeric" required maxlength=${78} value=${token.perDay} problem=${problem(index, 'perDay')} onValue=${set(index, 'perDay')} hint="In the smallest unit; for ERC-1155, the number of tokens." />
              <${TextField} label="Amount per player" inputmode="numeric" required maxlength=${78} value=${token.perPlayerPerDay} problem=${problem(index, 'perPlayerPerDay')} onValue=${set(index, 'perPlayerPerDay')} />
            </div>
            <${Button} kind="plain" size="small" aria-label="Remove token ${index + 1}" onClick=${() => onValue({ ...value, tokens: tokens.filter((_, at) => at !== index) })}><${Icon} name="trash" />Remove token<//>
          </div>
        `,
      )}
      <div><${Button} size="small" disabled=${tokens.length >= 50} onClick=${() => onValue({ ...value, tokens: [...tokens, blank()] })}><${Icon} name="plus" />Add token<//></div>
    </fieldset>
  `;
}
