import { html } from 'htm/preact';
import { FormProblem, problemAt, TextField } from './fields.js';
import { SaveButtons, useSettingsForm } from './save-game.js';

const path = 'policies.minVersion';

/**
 * The oldest version of a game that may play.
 * @param {import('./game-settings.js').FormProps} props
 */
export function MinVersionForm({ game, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'minimum version',
    ...form,
    stored: game,
    typedOf: ({ policies: { minVersion } }) => minVersion ?? { version: '', url: '', message: '' },
    settingsOf: ({ version, url, message }) => ({
      policies: {
        minVersion: version.trim() === '' ? null : { version: version.trim(), url: url.trim(), message },
      },
    }),
  });
  const { version, url, message } = typed;
  return html`
    <section class="card" aria-labelledby="min-version">
      <div class="card-head"><h2 id="min-version">Minimum version</h2></div>
      <form class="card-body form" onSubmit=${save}>
        <${TextField} label="Oldest allowed version" maxlength=${50} placeholder="1.4" value=${version} onValue=${edit('version')} problem=${problemAt(error, `${path}.version`)} hint="Older versions, and games that send no version, are refused and told to update. Empty: any version can play." />
        ${
          version.trim() !== '' &&
          html`
            <${TextField} label="Where to get a newer version" inputmode="url" maxlength=${2000} value=${url} onValue=${edit('url')} problem=${problemAt(error, `${path}.url`)} hint="https://… Optional." />
            <${TextField} label="Message to players" maxlength=${300} value=${message} onValue=${edit('message')} problem=${problemAt(error, `${path}.message`)} hint="Optional." />
          `
        }
        <${FormProblem} error=${error} fields=${[path]} />
        <${SaveButtons} label="Save minimum version" saving=${saving} />
      </form>
    </section>
  `;
}
