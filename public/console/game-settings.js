import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import {
  CheckField,
  FormProblem,
  jsonProblem,
  linesOf,
  problemAt,
  problemAtLine,
  SelectField,
  TextField,
} from './fields.js';
import { GameSecrets } from './game-secrets.js';

/** @typedef {import('./game-view.js').Game} Game */

/** @type {readonly [operation: Game['policies']['serverOnly'][number], label: string][]} */
const serverOnlyChoices = [
  ['setUserScore', 'Scores'],
  ['setState', 'States'],
  ['trackGameSessions', 'Play sessions'],
  ['sendCustomActivity', 'Activities'],
  ['sendNotification', 'Notifications'],
  ['triggerRulesEngine', 'Rule triggers'],
];

/**
 * A game's name, URL, allowed origins, secrets and policies.
 * @param {{ game: Game, onChanged: () => void }} props
 */
export function GameSettings({ game, onChanged }) {
  return html`
    <div class="settings">
      <${General} game=${game} onChanged=${onChanged} />
      <${GameSecrets} game=${game} />
      <${Policies} game=${game} onChanged=${onChanged} />
    </div>
  `;
}

/** @param {{ game: Game, onChanged: () => void }} props */
function General({ game, onChanged }) {
  const [name, setName] = useState(game.name);
  const [url, setUrl] = useState(game.url);
  const [origins, setOrigins] = useState(game.allowedOrigins.join('\n'));
  const { busy, error, save } = useSave(onChanged);
  return html`
    <section class="card" aria-labelledby="general">
      <div class="card-head"><h2 id="general">General</h2></div>
      <form
        class="card-body form"
        onSubmit=${save(() => ({ gameId: game.gameId, name, url: url.trim(), allowedOrigins: linesOf(origins) }))}
      >
        <${TextField} label="Name" required maxlength=${100} value=${name} onValue=${setName} problem=${problemAt(error, 'name')} />
        <${TextField} label="URL" inputmode="url" maxlength=${2000} value=${url} onValue=${setUrl} problem=${problemAt(error, 'url')} hint="Where the game is hosted. Launchers open it with the token appended." />
        <${TextField} label="Allowed origins" rows=${3} mono value=${origins} onValue=${setOrigins} problem=${problemAtLine(error, 'allowedOrigins', origins)} hint="Browser origins allowed to call the API for this game, one per line. Empty: any." />
        <${FormProblem} error=${error} fields=${['name', 'url', 'allowedOrigins']} />
        <div class="form-end"><${Button} type="submit" kind="primary" busy=${busy}>Save<//></div>
      </form>
    </section>
  `;
}

/** @param {{ game: Game, onChanged: () => void }} props */
function Policies({ game, onChanged }) {
  const { policies } = game;
  const [keep, setKeep] = useState(/** @type {string} */ (policies.leaderboard.keep));
  const [order, setOrder] = useState(/** @type {string} */ (policies.leaderboard.order));
  const [scores, setScores] = useState(/** @type {string} */ (policies.scores));
  const [serverOnly, setServerOnly] = useState(policies.serverOnly);
  const [requireSecret, setRequireSecret] = useState(policies.requireSecret);
  const [signature, setSignature] = useState(/** @type {string} */ (policies.requireSignature));
  const [oneSession, setOneSession] = useState(policies.oneSessionPerPlayer);
  const [guests, setGuests] = useState(/** @type {string} */ (policies.guests));
  const [limits, setLimits] = useState(JSON.stringify(policies.limits, null, 2));
  const [spending, setSpending] = useState(JSON.stringify(policies.spending, null, 2));
  const { busy, error, save } = useSave(onChanged);
  const problems = { limits: jsonProblem(limits), spending: jsonProblem(spending) };
  const given = () => ({
    gameId: game.gameId,
    policies: {
      leaderboard: /** @type {Game['policies']['leaderboard']} */ ({ keep, order }),
      scores: /** @type {Game['policies']['scores']} */ (scores),
      serverOnly,
      requireSecret,
      requireSignature: /** @type {Game['policies']['requireSignature']} */ (signature),
      oneSessionPerPlayer: oneSession,
      guests: /** @type {Game['policies']['guests']} */ (guests),
      limits: JSON.parse(limits),
      spending: JSON.parse(spending),
    },
  });
  return html`
    <section class="card policies" aria-labelledby="policies">
      <div class="card-head"><h2 id="policies">Policies</h2></div>
      <form class="card-body form" onSubmit=${save(given)}>
        <div class="form-row">
          <${SelectField} label="Ranked score" value=${keep} onValue=${setKeep} options=${[['best', 'Best'], ['latest', 'Latest']]} />
          <${SelectField} label="Sort order" value=${order} onValue=${setOrder} options=${[['desc', 'Highest first'], ['asc', 'Lowest first']]} />
        </div>
        <${SelectField} label="Scores" value=${scores} onValue=${setScores} options=${[['any', 'Any number'], ['integer', 'Whole numbers']]} />
        <fieldset class="choices">
          <legend>Only the game's server may write</legend>
          ${serverOnlyChoices.map(
            ([operation, label]) => html`
              <${CheckField}
                key=${operation}
                label=${label}
                checked=${serverOnly.includes(operation)}
                onChecked=${(/** @type {boolean} */ isChecked) =>
                  setServerOnly([
                    ...serverOnly.filter((one) => one !== operation),
                    ...(isChecked ? [operation] : []),
                  ])}
              />
            `,
          )}
        </fieldset>
        <${CheckField} label="Require game secret" checked=${requireSecret} onChecked=${setRequireSecret} hint="Calls then have to come from the game's server; its web page cannot make them." />
        <${SelectField} label="Signed requests" value=${signature} onValue=${setSignature} options=${[['no', 'Not required'], ['any', 'Required (any scheme)'], ['hmac-sha256', 'Required (HMAC-SHA-256)'], ['v2', 'Required (whole request, v2)']]} />
        <${CheckField} label="One session per player" checked=${oneSession} onChecked=${setOneSession} hint="A new session ends the player's previous one." />
        <${SelectField} label="Players without a wallet" value=${guests} onValue=${setGuests} options=${[['allowed', 'Allowed'], ['server', "Only vouched for by the game's server"], ['forbidden', 'Forbidden']]} />
        <${TextField} label="Custom rate limits" rows=${4} mono spellcheck=${false} value=${limits} onValue=${setLimits} problem=${problems.limits || problemAt(error, 'policies.limits')} hint='JSON: {"write":{"points":300,"seconds":10}} for read and write. {}: server defaults.' />
        <${TextField} label="On-chain spending limits" rows=${6} mono spellcheck=${false} value=${spending} onValue=${setSpending} problem=${problems.spending || problemAt(error, 'policies.spending')} hint="JSON: what the game's rules may spend per day. Replaces the current value." />
        <${FormProblem} error=${error} fields=${['policies.limits', 'policies.spending']} />
        <div class="form-end"><${Button} type="submit" kind="primary" busy=${busy} disabled=${Boolean(problems.limits || problems.spending)}>Save policies<//></div>
      </form>
    </section>
  `;
}

/** @param {() => void} onSaved */
function useSave(onSaved) {
  const admin = useAdmin();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /**
   * @param {() => import('./admin.js').Input<'updateGame'>} given
   * @returns {(event: Event) => Promise<void>}
   */
  const save = (given) => async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await admin.call('updateGame', given());
      toast('Saved', 'success');
      onSaved();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return { busy, error, save };
}
