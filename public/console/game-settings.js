import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { ErrorState, LoadingRows } from '../shared/states.js';
import { AccessForm } from './access-form.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { CheckField, FormProblem, linesOf, problemAt, SelectField, TextField } from './fields.js';
import { GameRemoval } from './game-removal.js';
import { GameSecrets } from './game-secrets.js';
import { LibraryForm } from './library-form.js';
import { isHalfTyped, LimitsFields, limitsOf, typedLimits } from './limits-fields.js';
import { MinVersionForm } from './min-version-form.js';
import { OriginsField } from './origins-field.js';
import { useQuery } from './queries.js';
import { noPermission, useSaveGame } from './save-game.js';
import { SpendingFields, spendingOf, typedSpending } from './spending-fields.js';
import { StorageField } from './storage-field.js';
import { WordFilterForm } from './word-filter-form.js';

/** @typedef {import('./game-view.js').Game} Game */

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
  const isReadOnly = !useAdmin().may('updateGame');
  return html`
    <fieldset class="settings bare" disabled=${isReadOnly}>
      <div class="stacked-cards">
        <${General} game=${game} onChanged=${onChanged} />
        <${Library} game=${game} onChanged=${onChanged} />
        <${GameSecrets} game=${game} />
        <${WordFilterForm} game=${game} onChanged=${onChanged} />
        <${MinVersionForm} game=${game} onChanged=${onChanged} />
      </div>
      <div class="stacked-cards">
        <${Policies} game=${game} onChanged=${onChanged} />
        <${AccessForm} game=${game} onChanged=${onChanged} />
        <${GameRemoval} game=${game} onChanged=${onChanged} />
      </div>
    </fieldset>
  `;
}

/** @param {{ game: Game, onChanged: () => void }} props */
function Library({ game, onChanged }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.callPublic('getGame', { gameId }), [gameId]);
  if (result) return html`<${LibraryForm} game=${game} page=${result.game} onChanged=${onChanged} />`;
  return error
    ? html`<${ErrorState} error=${error} onRetry=${reload} />`
    : html`<${LoadingRows} label="Loading page" />`;
}

/** @param {{ game: Game, onChanged: () => void }} props */
function General({ game, onChanged }) {
  const [name, setName] = useState(game.name);
  const [url, setUrl] = useState(game.url);
  const [image, setImage] = useState(game.image);
  const [order, setOrder] = useState(String(game.order));
  const [unlisted, setUnlisted] = useState(game.listing === 'unlisted');
  const [origins, setOrigins] = useState(game.allowedOrigins.join('\n'));
  const { busy, error, save } = useSaveGame(onChanged);
  return html`
    <section class="card" aria-labelledby="general">
      <div class="card-head"><h2 id="general">General</h2></div>
      <form
        class="card-body form"
        onSubmit=${save(() => ({
          gameId: game.gameId,
          name,
          url: url.trim(),
          image: image.trim(),
          order: Number(order),
          ...(game.listing !== 'archived' && { listing: unlisted ? 'unlisted' : 'listed' }),
          allowedOrigins: linesOf(origins),
        }))}
      >
        <${TextField} label="Name" required maxlength=${100} value=${name} onValue=${setName} problem=${problemAt(error, 'name')} />
        <${TextField} label="URL" inputmode="url" maxlength=${2000} value=${url} onValue=${setUrl} problem=${problemAt(error, 'url')} hint="Where the game is hosted. Launchers open it with the token appended." />
        <${OriginsField} value=${origins} onValue=${setOrigins} url=${url} error=${error} />
        <${TextField} label="Image" inputmode="url" maxlength=${2000} value=${image} onValue=${setImage} problem=${problemAt(error, 'image')} hint="Shown in launchers: https://… or a path on this server. 16:9 fits best. Optional." />
        <${TextField} label="Order" type="number" step="1" required value=${order} onValue=${setOrder} problem=${problemAt(error, 'order')} hint="Games with a lower number come first; with the same number, the oldest first." />
        ${game.listing !== 'archived' && html`<${CheckField} label="Unlisted" checked=${unlisted} onChecked=${setUnlisted} hint="Not in the list of games: only those who know its URL can open it." />`}
        <${FormProblem} error=${error} fields=${['name', 'url', 'image', 'order', 'allowedOrigins']} />
        <div class="form-end"><${Allowed} to="updateGame" instead=${noPermission}><${Button} type="submit" kind="primary" busy=${busy}>Save<//><//></div>
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
  const [friends, setFriends] = useState(policies.friends);
  const [tokenIn, setTokenIn] = useState(/** @type {string} */ (policies.tokenIn));
  const [limits, setLimits] = useState(() => typedLimits(policies.limits));
  const [spending, setSpending] = useState(() => typedSpending(policies.spending));
  const [storage, setStorage] = useState(String(policies.storageQuotaMegabytes ?? ''));
  const { busy, error, save } = useSaveGame(onChanged);
  const input = () => ({
    gameId: game.gameId,
    policies: {
      leaderboard: /** @type {Game['policies']['leaderboard']} */ ({ keep, order }),
      scores: /** @type {Game['policies']['scores']} */ (scores),
      serverOnly,
      requireSecret,
      requireSignature: /** @type {Game['policies']['requireSignature']} */ (signature),
      oneSessionPerPlayer: oneSession,
      guests: /** @type {Game['policies']['guests']} */ (guests),
      friends,
      tokenIn: /** @type {Game['policies']['tokenIn']} */ (tokenIn),
      limits: limitsOf(limits),
      spending: spendingOf(spending),
      storageQuotaMegabytes: storage.trim() === '' ? null : Number(storage),
    },
  });
  return html`
    <section class="card policies" aria-labelledby="policies">
      <div class="card-head"><h2 id="policies">Policies</h2></div>
      <form class="card-body form" onSubmit=${save(input)}>
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
        <${CheckField} label="Require game secret" checked=${requireSecret} onChecked=${setRequireSecret} hint="Calls must then come from the game's server; its web page cannot make them." />
        <${SelectField} label="Signed requests" value=${signature} onValue=${setSignature} options=${[['no', 'Not required'], ['any', 'Required (any scheme)'], ['hmac-sha256', 'Required (HMAC-SHA-256)'], ['v2', 'Required (whole request, v2)']]} />
        <${CheckField} label="One session per player" checked=${oneSession} onChecked=${setOneSession} hint="A new session ends the player's previous one." />
        <${SelectField} label="Guests" value=${guests} onValue=${setGuests} options=${[['allowed', 'Allowed'], ['server', "Only created by the game's server"], ['forbidden', 'Forbidden']]} />
        <${FriendsField} value=${friends} onValue=${setFriends} />
        <${SelectField} label="Token in the game's URL" value=${tokenIn} onValue=${setTokenIn} options=${[['query', 'Query: ?token=…'], ['fragment', 'Fragment: #token=…']]} hint="A fragment stays in the browser, out of the logs of the game's host. The game has to read it there." />
        <${LimitsFields} value=${limits} onValue=${setLimits} error=${error} />
        <${StorageField} gameId=${game.gameId} value=${storage} onValue=${setStorage} error=${error} />
        <${SpendingFields} value=${spending} onValue=${setSpending} error=${error} />
        <${FormProblem} error=${error} fields=${['policies.limits', 'policies.spending', 'policies.storageQuotaMegabytes']} />
        <div class="form-end"><${Allowed} to="updateGame" instead=${noPermission}><${Button} type="submit" kind="primary" busy=${busy} disabled=${isHalfTyped(limits)}>Save policies<//><//></div>
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
