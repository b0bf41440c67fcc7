import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { FormProblem, linesOf, problemAt, problemAtLine, SelectField, TextField } from './fields.js';
import { SaveButtons, useSettingsForm } from './save-game.js';

/** @typedef {import('./admin.js').Output<'getGame'>['game']} GamePage */
/** @typedef {GamePage['media'][number] & { key: number }} TypedMedium as typed */

/** The server's limits. */
const maxTags = 20;
const maxMedia = 20;

let lastKey = 0;

/**
 * What launchers show on the game's page.
 * @param {Omit<import('./game-settings.js').FormProps, 'game' | 'read'> & { page: GamePage, read: () => Promise<GamePage> }} props
 */
export function LibraryForm({ page, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'page',
    ...form,
    stored: page,
    typedOf: (stored) => ({
      description: stored.description,
      tags: stored.tags.join('\n'),
      media: stored.media.map((one) => /** @type {TypedMedium} */ ({ ...one, key: ++lastKey })),
      ageRating: stored.ageRating,
    }),
    settingsOf: ({ tags, media, ...rest }) => ({
      ...rest,
      tags: linesOf(tags),
      media: media.map(({ kind, url, alt }) => ({ kind, url: url.trim(), alt })),
    }),
  });
  const { description, tags, media, ageRating } = typed;
  return html`
    <section class="card" aria-labelledby="library">
      <div class="card-head"><h2 id="library">Page in launchers</h2></div>
      <form class="card-body form" onSubmit=${save}>
        <${TextField} label="Description" rows=${5} maxlength=${5000} value=${description} onValue=${edit('description')} problem=${problemAt(error, 'description')} hint="Plain text, with line breaks." />
        <${TextField} label="Tags" rows=${3} value=${tags} onValue=${edit('tags')} problem=${problemAtLine(error, 'tags', tags)} hint="One per line, up to ${maxTags} of at most 40 characters." />
        <${TextField} label="Age rating" maxlength=${20} value=${ageRating} onValue=${edit('ageRating')} problem=${problemAt(error, 'ageRating')} hint="As its rating board writes it, such as PEGI 12." />
        <${MediaFields} value=${media} onValue=${edit('media')} error=${error} />
        <${FormProblem} error=${error} fields=${['description', 'tags', 'ageRating', 'media']} />
        <${SaveButtons} label="Save page" saving=${saving} />
      </form>
    </section>
  `;
}

/**
 * Pictures and videos, in the order in which they are shown.
 * @param {{ value: readonly TypedMedium[], onValue: (value: TypedMedium[]) => void, error: unknown }} props
 */
function MediaFields({ value, onValue, error }) {
  /** @param {number} index @param {'kind' | 'url' | 'alt'} field @returns {(text: string) => void} */
  const set = (index, field) => (text) =>
    onValue(value.map((one, at) => (at === index ? { ...one, [field]: text } : one)));
  /** @param {number} index */
  const moveUp = (index) =>
    onValue([
      ...value.slice(0, index - 1),
      ...value.slice(index, index + 1),
      ...value.slice(index - 1, index),
      ...value.slice(index + 1),
    ]);
  /** @param {number} index @param {string} field */
  const problem = (index, field) => problemAt(error, `media.${index}.${field}`);
  return html`
    <fieldset class="choices one-column">
      <legend>Pictures and videos</legend>
      ${value.map(
        ({ key, kind, url, alt }, index) => html`
          <div key=${key} class="form-group" role="group" aria-label="Picture or video ${index + 1}">
            <div class="form-row">
              <${SelectField} label="Kind" value=${kind} onValue=${set(index, 'kind')} options=${[['image', 'Picture'], ['video', 'Video']]} />
              <${TextField} label="URL" inputmode="url" required maxlength=${2000} value=${url} onValue=${set(index, 'url')} problem=${problem(index, 'url')} hint="https://… or a path on this server." />
            </div>
            <${TextField} label="Alternative text" maxlength=${300} value=${alt} onValue=${set(index, 'alt')} problem=${problem(index, 'alt')} hint="What it shows, for players who cannot see it." />
            <div class="group-buttons">
              ${index > 0 && html`<${Button} kind="plain" size="small" aria-label="Move up number ${index + 1}" onClick=${() => moveUp(index)}><${Icon} name="chevronUp" />Move up<//>`}
              <${Button} kind="plain" size="small" aria-label="Remove picture or video ${index + 1}" onClick=${() => onValue(value.filter((_, at) => at !== index))}><${Icon} name="trash" />Remove<//>
            </div>
          </div>
        `,
      )}
      <div><${Button} size="small" disabled=${value.length >= maxMedia} onClick=${() => onValue([...value, { key: ++lastKey, kind: 'image', url: '', alt: '' }])}><${Icon} name="plus" />Add picture or video<//></div>
      <p class="quiet small">The launcher page of this server shows pictures of this server, and links to others.</p>
    </fieldset>
  `;
}
