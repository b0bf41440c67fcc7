import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { FormProblem, problemAt, SelectField, TextField } from './fields.js';
import { SaveButtons, useSettingsForm } from './save-game.js';

/** @typedef {import('./game-view.js').Game} Game */
/** @typedef {NonNullable<Game['policies']['access']>} AccessRule */
/** @typedef {Extract<AccessRule, { standard: unknown }>} OwnedToken */
/** @typedef {{ key: number, standard: string, chainId: string, contract: string, tokenId: string, amount: string, name: string }} TypedToken */
/** @typedef {'all' | 'any'} Mode */
/** @typedef {{ key: number, mode: Mode, tokens: readonly TypedToken[] }} Part tokens of which all, or any, are required */
/** @typedef {{ mode: Mode, parts: readonly Part[] }} TypedAccess as typed; without parts, nothing is required */

/** The server's limit. */
const maxTokens = 20;
const path = 'policies.access';
const standards = /** @type {const} */ ([
  ['erc20', 'ERC-20'],
  ['erc721', 'ERC-721'],
  ['erc1155', 'ERC-1155'],
]);
const modes = /** @type {const} */ ([
  ['all', 'All of these'],
  ['any', 'Any of these'],
]);

let lastKey = 0;

/** @returns {TypedToken} */
const blankToken = () => ({
  key: ++lastKey,
  standard: 'erc721',
  chainId: '',
  contract: '',
  tokenId: '',
  amount: '1',
  name: '',
});
/** @param {Mode} mode @param {readonly TypedToken[]} tokens @returns {Part} */
const partOf = (mode, tokens) => ({ key: ++lastKey, mode, tokens });

/** @param {OwnedToken} token @returns {TypedToken} */
function typedToken({ standard, chainId, contract = '', tokenId = '', amount, name = '' }) {
  return { key: ++lastKey, standard, chainId: String(chainId ?? ''), contract, tokenId, amount, name };
}

/** @param {AccessRule | null} rule @returns {TypedAccess} */
function typedAccess(rule) {
  if (rule === null) return { mode: 'all', parts: [] };
  if (!('of' in rule)) return { mode: 'all', parts: [partOf('any', [typedToken(rule)])] };
  const parts = rule.of.map((part) =>
    'of' in part ? partOf(part.type, part.of.map(typedToken)) : partOf('any', [typedToken(part)]),
  );
  return { mode: rule.type, parts };
}

/** @param {TypedToken} typed @returns {OwnedToken} */
function tokenOf({ standard, chainId, contract, tokenId, amount, name }) {
  return {
    type: 'user-owns-tokens',
    standard: /** @type {OwnedToken['standard']} */ (standard),
    chainId: Number(chainId),
    contract: contract.trim(),
    ...(standard === 'erc1155' && { tokenId: tokenId.trim() }),
    operator: 'gte',
    amount: amount.trim(),
    ...(name.trim() !== '' && { name }),
  };
}

/** Groups of one are not groups. @param {TypedAccess} typed @returns {AccessRule | null} */
function accessOf({ mode, parts }) {
  const rules = parts.map(({ mode: type, tokens }) => groupOf(type, tokens.map(tokenOf)));
  return rules.length === 0 ? null : groupOf(mode, rules);
}

/**
 * @template Rule
 * @param {Mode} type
 * @param {Rule[]} of
 * @returns {Rule | { type: Mode, of: Rule[] }}
 */
function groupOf(type, of) {
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : { type, of };
}

/**
 * The tokens that players must own to open a game.
 * @param {import('./game-settings.js').FormProps} props
 */
export function AccessForm({ game, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'access',
    ...form,
    stored: game,
    typedOf: ({ policies }) => ({ access: typedAccess(policies.access) }),
    settingsOf: ({ access }) => ({ policies: { access: accessOf(access) } }),
  });
  const { mode, parts } = typed.access;
  const setAccess = edit('access');
  const count = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  /** @param {readonly Part[]} next */
  const setParts = (next) => setAccess({ mode, parts: next.filter(({ tokens }) => tokens.length > 0) });
  return html`
    <section class="card" aria-labelledby="access">
      <div class="card-head"><h2 id="access">Tokens required to play</h2></div>
      <form class="card-body form" onSubmit=${save}>
        ${parts.length === 0 && html`<p class="quiet">None: everyone can play. With a requirement, guests cannot play: only a wallet can own tokens.</p>`}
        ${parts.length > 1 && html`<${SelectField} label="Players must meet" value=${mode} onValue=${(/** @type {Mode} */ next) => setAccess({ mode: next, parts })} options=${[['all', 'All requirements'], ['any', 'Any of the requirements']]} />`}
        ${parts.map(
          (part, index) => html`
            <${PartFields}
              key=${part.key}
              part=${part}
              number=${index + 1}
              path=${parts.length > 1 ? `${path}.of.${index}` : path}
              isFull=${count >= maxTokens}
              error=${error}
              onPart=${(/** @type {Part} */ next) => setParts(parts.map((one, at) => (at === index ? next : one)))}
            />
          `,
        )}
        <div><${Button} size="small" disabled=${count >= maxTokens} onClick=${() => setParts([...parts, partOf('any', [blankToken()])])}><${Icon} name="plus" />Add requirement<//></div>
        <${FormProblem} error=${error} fields=${[path]} />
        <${SaveButtons} label="Save required tokens" saving=${saving} />
      </form>
    </section>
  `;
}

/**
 * One requirement: a token, or all or any of several.
 * @param {{ part: Part, number: number, path: string, isFull: boolean, error: unknown, onPart: (part: Part) => void }} props
 *   `path`: of the requirement in the request
 */
function PartFields({ part, number, path: at, isFull, error, onPart }) {
  const { mode, tokens } = part;
  return html`
    <fieldset class="choices one-column">
      <legend>Requirement ${number}</legend>
      ${tokens.length > 1 && html`<${SelectField} label="Tokens" value=${mode} onValue=${(/** @type {Mode} */ next) => onPart({ ...part, mode: next })} options=${modes} />`}
      ${tokens.map(
        (token, index) => html`
          <${TokenFields}
            key=${token.key}
            token=${token}
            name="token ${index + 1} of requirement ${number}"
            path=${tokens.length > 1 ? `${at}.of.${index}` : at}
            error=${error}
            onToken=${(/** @type {TypedToken} */ next) => onPart({ ...part, tokens: tokens.map((one, place) => (place === index ? next : one)) })}
            onRemove=${() => onPart({ ...part, tokens: tokens.filter((_, place) => place !== index) })}
          />
        `,
      )}
      <div><${Button} kind="plain" size="small" disabled=${isFull} aria-label="Add token to requirement ${number}" onClick=${() => onPart({ ...part, tokens: [...tokens, blankToken()] })}><${Icon} name="plus" />Add token<//></div>
    </fieldset>
  `;
}

/**
 * @param {{ token: TypedToken, name: string, path: string, error: unknown, onToken: (token: TypedToken) => void, onRemove: () => void }} props
 */
function TokenFields({ token, name, path: at, error, onToken, onRemove }) {
  /** @param {keyof TypedToken} field @returns {(text: string) => void} */
  const set = (field) => (text) => onToken({ ...token, [field]: text });
  /** @param {string} field */
  const problem = (field) => problemAt(error, `${at}.${field}`);
  return html`
    <div class="form-group" role="group" aria-label="T${name.slice(1)}">
      <div class="form-row">
        <${SelectField} label="Standard" value=${token.standard} onValue=${set('standard')} options=${standards} />
        <${TextField} label="Chain ID" type="number" min="1" step="1" required value=${token.chainId} onValue=${set('chainId')} problem=${problem('chainId')} />
      </div>
      <${TextField} label="Contract" mono required maxlength=${42} spellcheck=${false} placeholder="0x…" value=${token.contract} onValue=${set('contract')} problem=${problem('contract')} />
      <div class="form-row">
        ${token.standard === 'erc1155' && html`<${TextField} label="Token ID" inputmode="numeric" required maxlength=${78} value=${token.tokenId} onValue=${set('tokenId')} problem=${problem('tokenId')} />`}
        <${TextField} label="At least" inputmode="numeric" required maxlength=${78} value=${token.amount} onValue=${set('amount')} problem=${problem('amount')} hint=${token.standard === 'erc20' ? 'In the smallest unit.' : undefined} />
        <${TextField} label="Name" maxlength=${100} value=${token.name} onValue=${set('name')} problem=${problem('name')} hint="For players. Optional." />
      </div>
      <div class="group-buttons"><${Button} kind="plain" size="small" aria-label="Remove ${name}" onClick=${onRemove}><${Icon} name="trash" />Remove token<//></div>
    </div>
  `;
}
