import { html } from 'htm/preact';
import { FormProblem, linesOf, problemAtLine, SelectField, TextField } from './fields.js';
import { SaveButtons, useSettingsForm } from './save-game.js';

/** @typedef {import('./game-view.js').Game} Game */

/** The server's limit. */
const maxWords = 500;

/**
 * The word filter of a game.
 * @param {import('./game-settings.js').FormProps} props
 */
export function WordFilterForm({ game, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'word filter',
    ...form,
    stored: game,
    typedOf: ({ policies: { wordFilter } }) => ({
      action: /** @type {string} */ (wordFilter.action),
      words: wordFilter.words.join('\n'),
    }),
    settingsOf: ({ action, words }) => ({
      policies: {
        wordFilter: {
          action: /** @type {Game['policies']['wordFilter']['action']} */ (action),
          words: linesOf(words),
        },
      },
    }),
  });
  const { action, words } = typed;
  const count = linesOf(words).length;
  const tooMany =
    count > maxWords ? `${count} words and phrases; at most ${maxWords} are allowed` : undefined;
  return html`
    <section class="card" aria-labelledby="moderation">
      <div class="card-head"><h2 id="moderation">Moderation: word filter</h2></div>
      <form class="card-body form" onSubmit=${save}>
        <${SelectField} label="Messages with these words" value=${action} onValue=${edit('action')} options=${[['mask', 'Replace the words with asterisks'], ['reject', 'Reject the message']]} hint="Names of players and channels with these words are always rejected." />
        <${TextField} label="Words and phrases" rows=${6} spellcheck=${false} value=${words} onValue=${edit('words')} problem=${tooMany ?? problemAtLine(error, 'policies.wordFilter.words', words)} hint="One per line, up to ${maxWords} of at most 60 characters. Only whole words match; case and accents are ignored. Messages already sent are not changed." />
        <${FormProblem} error=${error} fields=${['policies.wordFilter.words']} />
        <${SaveButtons} label="Save word filter" saving=${saving} disabled=${tooMany !== undefined} />
      </form>
    </section>
  `;
}
