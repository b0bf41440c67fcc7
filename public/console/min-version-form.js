import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Allowed } from './allowed.js';
import { FormProblem, problemAt, TextField } from './fields.js';
import { noPermission, useSaveGame } from './save-game.js';

const path = 'policies.minVersion';

/**
 * The oldest version of a game that may play.
 * @param {{ game: import('./game-view.js').Game, onChanged: () => void }} props
 */
export function MinVersionForm({ game, onChanged }) {
  const { minVersion } = game.policies;
  const [version, setVersion] = useState(minVersion?.version ?? '');
  const [url, setUrl] = useState(minVersion?.url ?? '');
  const [message, setMessage] = useState(minVersion?.message ?? '');
  const { busy, error, save } = useSaveGame(onChanged);
  const isSet = version.trim() !== '';
  const given = () => ({
    gameId: game.gameId,
    policies: { minVersion: isSet ? { version: version.trim(), url: url.trim(), message } : null },
  });
  return html`
    <section class="card" aria-labelledby="min-version">
      <div class="card-head"><h2 id="min-version">Minimum version</h2></div>
      <form class="card-body form" onSubmit=${save(given)}>
        <${TextField} label="Oldest allowed version" maxlength=${50} placeholder="1.4" value=${version} onValue=${setVersion} problem=${problemAt(error, `${path}.version`)} hint="Older versions, and games that send no version, are refused and told to update. Empty: any version can play." />
        ${
          isSet &&
          html`
            <${TextField} label="Where to get a newer version" inputmode="url" maxlength=${2000} value=${url} onValue=${setUrl} problem=${problemAt(error, `${path}.url`)} hint="https://… Optional." />
            <${TextField} label="Message to players" maxlength=${300} value=${message} onValue=${setMessage} problem=${problemAt(error, `${path}.message`)} hint="Optional." />
          `
        }
        <${FormProblem} error=${error} fields=${[path]} />
        <div class="form-end"><${Allowed} to="updateGame" instead=${noPermission}><${Button} type="submit" kind="primary" busy=${busy}>Save minimum version<//><//></div>
      </form>
    </section>
  `;
}
