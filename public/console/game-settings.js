import { html } from 'htm/preact';
import { ErrorState, LoadingRows } from '../shared/states.js';
import { AccessForm } from './access-form.js';
import { useAdmin } from './admin.js';
import { CheckField, FormProblem, linesOf, problemAt, SelectField, TextField } from './fields.js';
import { GameRemoval } from './game-removal.js';
import { GameSecrets } from './game-secrets.js';
import { LibraryForm } from './library-form.js';
import { isHalfTyped, LimitsFields, limitsOf, typedLimits } from './limits-fields.js';
import { MinVersionForm } from './min-version-form.js';
import { OriginsField } from './origins-field.js';
import { useQuery } from './queries.js';
import { SaveButtons, useSettingsForm } from './save-game.js';
import { SpendingFields, spendingOf, typedSpending } from './spending-fields.js';
import { StorageField } from './storage-field.js';
import { WordFilterForm } from './word-filter-form.js';

/** @typedef {import('./game-view.js').Game} Game */
/**
 * @typedef {{ gameId: string, game: Game, read: () => Promise<Game>, onSaved: () => void }} FormProps of a form of settings;
 *   `game`: as last read; `read` reads it again
 */

/** @type {readonly [operation: Game['policies']['serverOnly'][number], label: string][]} */
const serverOnlyChoices = [
  ['setUserScore', 'Scores'],
  ['setState', 'States'],
  ['trackGameSessions', 'Play sessions'],
  ['sendCustomActivity', 'Activities'],
  ['sendNotification', 'Notifications'],
  ['triggerRulesEngine', 'Rule triggers'],
  ['markMessagesRead', 'Read markers'],
  ['addReaction', 'Reactions'],
];

/**
 * A game's name, URL, allowed origins, page, secrets and policies.
 * @param {{ game: Game, onChanged: () => void }} props
 */
export function GameSettings({ game, onChanged }) {
  const admin = useAdmin();
  const { gameId } = game;
  const read = async () => {
    const found = (await admin.call('listGames', {})).games.find((one) => one.gameId === gameId);
    if (!found) throw new Error('The game was deleted meanwhile.');
    return found;
  };
  const form = { gameId, game, read, onSaved: onChanged };
  return html`
    <fieldset class="settings bare" disabled=${!admin.may('updateGame')}>
      <div class="stacked-cards">
        <${General} ...${form} />
        <${Library} gameId=${gameId} onSaved=${onChanged} />
        <${GameSecrets} game=${game} />
        <${WordFilterForm} ...${form} />
        <${MinVersionForm} ...${form} />
      </div>
      <div class="stacked-cards">
        <${Policies} ...${form} />
        <${AccessForm} ...${form} />
        <${GameRemoval} game=${game} onChanged=${onChanged} />
      </div>
    </fieldset>
  `;
}

/** @param {Pick<FormProps, 'gameId' | 'onSaved'>} props */
function Library({ gameId, onSaved }) {
  const admin = useAdmin();
  const read = async () => (await admin.callPublic('getGame', { gameId })).game;
  const { result: page, error, reload } = useQuery(read, [gameId]);
  if (page) return html`<${LibraryForm} gameId=${gameId} page=${page} read=${read} onSaved=${onSaved} />`;
  return error
    ? html`<${ErrorState} error=${error} onRetry=${reload} />`
    : html`<${LoadingRows} label="Loading page" />`;
}

/** @param {FormProps} props */
function General({ game, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'general',
    ...form,
    stored: game,
    typedOf: (stored) => ({
      name: stored.name,
      url: stored.url,
      image: stored.image,
      order: String(stored.order),
      listing: stored.listing,
      origins: stored.allowedOrigins.join('\n'),
    }),
    settingsOf: ({ origins, order: number, ...rest }) => ({
      ...rest,
      url: rest.url.trim(),
      image: rest.image.trim(),
      order: Number(number),
      allowedOrigins: linesOf(origins),
    }),
  });
  const { name, url, image, order, listing, origins } = typed;
  const setListing = edit('listing');
  return html`
    <section class="card" aria-labelledby="general">
      <div class="card-head"><h2 id="general">General</h2></div>
      <form class="card-body form" onSubmit=${save}>
        <${TextField} label="Name" required maxlength=${100} value=${name} onValue=${edit('name')} problem=${problemAt(error, 'name')} />
        <${TextField} label="URL" inputmode="url" maxlength=${2000} value=${url} onValue=${edit('url')} problem=${problemAt(error, 'url')} hint="Where the game is hosted. Launchers open it with the token appended." />
        <${OriginsField} value=${origins} onValue=${edit('origins')} url=${url} error=${error} />
        <${TextField} label="Image" inputmode="url" maxlength=${2000} value=${image} onValue=${edit('image')} problem=${problemAt(error, 'image')} hint="Shown in launchers: https://… or a path on this server. 16:9 fits best. Optional." />
        <${TextField} label="Order" type="number" step="1" required value=${order} onValue=${edit('order')} problem=${problemAt(error, 'order')} hint="Games with a lower number come first; with the same number, the oldest first." />
        ${listing !== 'archived' && html`<${CheckField} label="Unlisted" checked=${listing === 'unlisted'} onChecked=${(/** @type {boolean} */ isUnlisted) => setListing(isUnlisted ? 'unlisted' : 'listed')} hint="Not in the list of games: only those who know its URL can open it." />`}
        <${FormProblem} error=${error} fields=${['name', 'url', 'image', 'order', 'allowedOrigins']} />
        <${SaveButtons} label="Save" saving=${saving} />
      </form>
    </section>
  `;
}

/** @param {FormProps} props */
function Policies({ game, ...form }) {
  const { typed, edit, error, save, saving } = useSettingsForm({
    name: 'policies',
    ...form,
    stored: game,
    typedOf: ({ policies }) => ({
      keep: /** @type {string} */ (policies.leaderboard.keep),
      order: /** @type {string} */ (policies.leaderboard.order),
      scores: /** @type {string} */ (policies.scores),
      serverOnly: policies.serverOnly,
      requireSecret: policies.requireSecret,
      signature: /** @type {string} */ (policies.requireSignature),
      oneSession: policies.oneSessionPerPlayer,
      guests: /** @type {string} */ (policies.guests),
      friends: policies.friends,
      tokenIn: /** @type {string} */ (policies.tokenIn),
      limits: typedLimits(policies.limits),
      spending: typedSpending(policies.spending),
      storage: String(policies.storageQuotaMegabytes ?? ''),
    }),
    settingsOf: (policies) => ({
      policies: {
        leaderboard: /** @type {Game['policies']['leaderboard']} */ ({
          keep: policies.keep,
          order: policies.order,
        }),
        scores: /** @type {Game['policies']['scores']} */ (policies.scores),
        serverOnly: policies.serverOnly,
        requireSecret: policies.requireSecret,
        requireSignature: /** @type {Game['policies']['requireSignature']} */ (policies.signature),
        oneSessionPerPlayer: policies.oneSession,
        guests: /** @type {Game['policies']['guests']} */ (policies.guests),
        friends: policies.friends,
        tokenIn: /** @type {Game['policies']['tokenIn']} */ (policies.tokenIn),
        limits: limitsOf(policies.limits),
        spending: spendingOf(policies.spending),
        storageQuotaMegabytes: policies.storage.trim() === '' ? null : Number(policies.storage),
      },
    }),
  });
  const { keep, order, scores, serverOnly, requireSecret, signature, oneSession } = typed;
  const { guests, friends, tokenIn, limits, spending, storage } = typed;
  const setServerOnly = edit('serverOnly');
  return html`
    <section class="card policies" aria-labelledby="policies">
      <div class="card-head"><h2 id="policies">Policies</h2></div>
      <form class="card-body form" onSubmit=${save}>
        <div class="form-row">
          <${SelectField} label="Ranked score" value=${keep} onValue=${edit('keep')} options=${[['best', 'Best'], ['latest', 'Latest']]} />
          <${SelectField} label="Sort order" value=${order} onValue=${edit('order')} options=${[['desc', 'Highest first'], ['asc', 'Lowest first']]} />
        </div>
        <${SelectField} label="Scores" value=${scores} onValue=${edit('scores')} options=${[['any', 'Any number'], ['integer', 'Whole numbers']]} />
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
        <${CheckField} label="Require game secret" checked=${requireSecret} onChecked=${edit('requireSecret')} hint="Calls must then come from the game's server; its web page cannot make them." />
        <${SelectField} label="Signed requests" value=${signature} onValue=${edit('signature')} options=${[['no', 'Not required'], ['any', 'Required (any scheme)'], ['hmac-sha256', 'Required (HMAC-SHA-256)'], ['v2', 'Required (whole request, v2)']]} />
        <${CheckField} label="One session per player" checked=${oneSession} onChecked=${edit('oneSession')} hint="A new session ends the player's previous one." />
        <${SelectField} label="Guests" value=${guests} onValue=${edit('guests')} options=${[['allowed', 'Allowed'], ['server', "Only created by the game's server"], ['forbidden', 'Forbidden']]} />
        <${FriendsField} value=${friends} onValue=${edit('friends')} />
        <${SelectField} label="Token in the game's URL" value=${tokenIn} onValue=${edit('tokenIn')} options=${[['query', 'Query: ?token=…'], ['fragment', 'Fragment: #token=…']]} hint="A fragment stays in the browser, out of the logs of the game's host. The game has to read it there." />
        <${LimitsFields} value=${limits} onValue=${edit('limits')} error=${error} />
        <${StorageField} gameId=${form.gameId} value=${storage} onValue=${edit('storage')} error=${error} />
        <${SpendingFields} value=${spending} onValue=${edit('spending')} error=${error} />
        <${FormProblem} error=${error} fields=${['policies.limits', 'policies.spending', 'policies.storageQuotaMegabytes']} />
        <${SaveButtons} label="Save policies" saving=${saving} disabled=${isHalfTyped(limits)} />
      </form>
    </section>
  `;
}

/** @type {Readonly<Record<Game['policies']['friends'], readonly [label: string, hint: string]>>} */
const friendsChoices = {
  none: ['None', 'The game sees no friends, requests or invites, and cannot change any.'],
  'in-game': ['In the game', 'The game sees and changes friends and requests of players who are in it too.'],
  all: [
    'All',
    "The game sees and changes all of a player's friends, requests and invites, and the player's privacy.",
  ],
};

/**
 * What the game may know of its players' friends.
 * @param {{ value: Game['policies']['friends'], onValue: (value: Game['policies']['friends']) => void }} props
 */
function FriendsField({ value, onValue }) {
  const options = Object.entries(friendsChoices).map(([choice, [label]]) => [choice, label]);
  return html`<${SelectField} label="Friends" value=${value} onValue=${onValue} options=${options} hint=${friendsChoices[value][1]} />`;
}
