import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { ErrorState, LoadingRows } from '../shared/states.js';
import { useQuery } from './queries.js';
import { ruleSchema } from './rule-schema.js';

/**
 * The available actions and conditions with their fields.
 * @param {{ onAdd: (action: Record<string, unknown>) => void }} props
 */
export function RuleReference({ onAdd }) {
  const { result, error, reload } = useQuery(ruleSchema, []);
  return html`
    <section class="card" aria-labelledby="rule-reference">
      <div class="card-head"><h2 id="rule-reference">Rule reference</h2></div>
      <div class="card-body help">
        <p class="quiet small">
          A rule: <code>trigger</code>, <code>actions</code> (1 to 20), and optionally <code>limitExecutions</code> with <code>amount</code> and <code>resetInterval</code> (milliseconds), per player. With <code>seasonEnd</code> (<code>leaderboard</code>, <code>places</code> with <code>from</code> and <code>to</code>, optionally <code>label</code>) it runs when a season ends, for the players at these ranks. An action runs when all its <code>conditions</code> are met.
        </p>
        ${
          result === undefined
            ? error
              ? html`<${ErrorState} error=${error} onRetry=${reload} />`
              : html`<${LoadingRows} label="Loading rule reference" />`
            : html`
                <h3>Actions</h3>
                ${result.actions.map((part) => html`<${Help} key=${part.type} part=${part} onAdd=${() => onAdd(part.example)} />`)}
                <h3>Conditions</h3>
                ${result.conditions.map((part) => html`<${Help} key=${part.type} part=${part} />`)}
              `
        }
      </div>
    </section>
  `;
}

/** @param {{ part: import('./rule-schema.js').Part, onAdd?: () => void }} props */
function Help({ part, onAdd }) {
  const { type, fields } = part;
  return html`
    <details class="help-part">
      <summary><code>${type}</code></summary>
      <dl class="help-fields">
        ${fields.map(
          ({ name, kind, required }) => html`
            <div key=${name}><dt><code>${name}</code>${required && html` <span class="quiet small">required</span>`}</dt><dd class="quiet small">${kind}</dd></div>
          `,
        )}
      </dl>
      ${onAdd && html`<${Button} size="small" onClick=${onAdd}><${Icon} name="plus" />Add a rule with ${type}<//>`}
    </details>
  `;
}
