import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { RelativeTime } from '../shared/relative-time.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { ConfirmButton } from './confirm-button.js';
import { SelectField, TextField } from './fields.js';
import { nameIn } from './game-names.js';
import { muters, muteTimes } from './mutes.js';
import { pageSize, useQuery, useReloadWhenPassed } from './queries.js';

/** @typedef {import('./game-view.js').Game} Game */
/** @typedef {import('./mutes.js').Mute} Mute */

/**
 * The active mutes of a player, by whomever they are, and a form for muting the player in a game.
 * @param {{ wallet: string, games: readonly Game[], game: Game | undefined }} props
 */
export function PlayerMutes({ wallet, games, game }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(
    () => admin.call('listMutes', { wallet, limit: pageSize, skip: 0 }),
    [wallet],
  );
  const [gameId, setGameId] = useState(game?.gameId ?? games[0]?.gameId ?? '');
  const [seconds, setSeconds] = useState('86400');
  const [reason, setReason] = useState('');
  const nameOf = nameIn(games);
  useReloadWhenPassed(result?.data, ({ until }) => [until], reload);
  const mutes = result?.data ?? [];
  /** @type {import('../shared/table.js').Column<Mute>[]} */
  const columns = [
    {
      title: 'Muted in',
      wide: true,
      cell: ({ gameId: id, channelId, mutedBy, reason: given }) => html`
        <span class="truncate">${nameOf(id)}${channelId === null ? '' : ', one channel'}, by ${muters[mutedBy]}</span>
        ${given && html`<p class="quiet small wrap">${given}</p>`}
      `,
    },
    { title: 'Ends', cell: ({ until }) => html`<${RelativeTime} at=${until} />` },
    {
      title: 'Unmute',
      hidden: true,
      cell: ({ gameId: id, channelId, mutedBy }) => html`
        <${ConfirmButton}
          needs="unmutePlayer"
          confirmKind="primary"
          label="Unmute in ${nameOf(id)}"
          text="Unmute"
          title="Unmute this player in ${nameOf(id)}?"
          confirm="Unmute"
          act=${() => admin.call('unmutePlayer', { wallet, gameId: id, mutedBy, ...(channelId && { channelId }) })}
          done="Unmuted in ${nameOf(id)}"
          reload=${reload}
        >
          <p>The mute by ${muters[mutedBy]} ends now. Other mutes of the player stay.</p>
        <//>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="mutes">
      <div class="card-head"><h2 id="mutes">Mutes</h2></div>
      ${
        (mutes.length > 0 || error !== null) &&
        html`<${Table} caption="Mutes of the player" columns=${columns} rows=${mutes} keyOf=${(/** @type {Mute} */ one) => `${one.gameId} ${one.channelId} ${one.mutedBy}`} error=${error} onRetry=${reload} />`
      }
      ${
        games.length > 0 &&
        (admin.may('mutePlayer') || reason !== '') &&
        html`
          <div class="card-body form">
            <div class="form-row">
              <${SelectField} label="Mute in" value=${gameId} onValue=${setGameId} options=${games.map(({ gameId: id, name }) => [id, name])} />
              <${SelectField} label="For" value=${seconds} onValue=${setSeconds} options=${muteTimes} />
            </div>
            <${TextField} label="Reason (shown to the player)" maxlength=${500} value=${reason} onValue=${setReason} />
            <${Allowed} to="mutePlayer" instead=${html`<p class="quiet small">Your role cannot mute players.</p>`} />
            <div class="button-row">
              <${ConfirmButton}
                needs="mutePlayer"
                key=${gameId}
                label="Mute in ${nameOf(gameId)}"
                kind="danger"
                title="Mute this player in ${nameOf(gameId)}?"
                confirm="Mute"
                act=${() => admin.call('mutePlayer', { wallet, gameId, seconds: Number(seconds), reason })}
                done="Muted in ${nameOf(gameId)}"
                reload=${reload}
              >
                <p>The player can read and play, but writes nothing there that others see. An earlier mute by a moderator is replaced.</p>
              <//>
            </div>
          </div>
        `
      }
    </section>
  `;
}
