import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { asScore } from '../shared/score.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { usePages, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listPlayerScores'>['data'][number]} Score */

/**
 * A player's scores on one of a game's leaderboards in the current season, with the rank.
 * @param {{ wallet: string, game: import('./game-view.js').Game }} props
 */
export function PlayerScores({ wallet, game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [leaderboard, setLeaderboard] = useState('default');
  const boards = useQuery(() => admin.call('listLeaderboards', { gameId }), [gameId]).result?.leaderboards;
  const pages = usePages(
    (page) => admin.call('listPlayerScores', { gameId, wallet, leaderboard, ...page }),
    (/** @type {Score} */ { _id }) => _id,
    [gameId, wallet, leaderboard],
  );
  const rank = useQuery(async () => {
    const input = { gameId, leaderboard, around: wallet, limit: 1 };
    return { leaderboard, rows: (await admin.call('listLeaderboardScores', input)).leaderboard };
  }, [gameId, wallet, leaderboard]);
  const [own] = rank.result?.leaderboard === leaderboard ? rank.result.rows : [];
  /** @type {import('./virtual-table.js').Column<Score>[]} */
  const columns = [
    { title: 'Score', narrow: 'main', cell: ({ score }) => asScore(score), value: ({ score }) => score },
    {
      title: 'Nonce',
      wide: true,
      narrow: 'omit',
      cell: ({ nonce }) => html`<code class="truncate quiet">${nonce}</code>`,
      value: ({ nonce }) => nonce,
    },
    {
      title: 'Set',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    {
      title: 'Remove',
      hidden: true,
      cell: ({ _id, score }) => html`
        <${ConfirmButton}
          needs="removeScore"
          label="Remove score ${asScore(score)}"
          icon="trash"
          iconOnly
          kind="plain"
          title="Remove score ${asScore(score)}?"
          confirm="Remove"
          act=${() => admin.call('removeScore', { gameId, scoreId: _id })}
          done="Score removed"
          onDone=${() => {
            pages.reload();
            rank.reload();
          }}
        >
          <p>The record is permanently deleted. If the player has another score, it is ranked instead. Subscribers are updated immediately.</p>
        <//>
      `,
    },
  ];
  return html`
    <${DataTable}
      caption="Scores in ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Score} */ { _id }) => _id}
      fileName="${game.slug}-scores-${wallet}"
      empty=${html`<${Empty} icon="trophy" title="No scores"><p>Scores are set with <code>setUserScore</code> or by rules.</p><//>`}
    >
      ${boards && boards.length > 0 && html`<${SelectField} label="Leaderboard" hideLabel value=${leaderboard} onValue=${setLeaderboard} options=${['default', ...boards.map((board) => board.leaderboard)].map((name) => [name, name])} />`}
      ${own && html`<span class="badge info">rank ${own.position}</span>`}
    <//>
  `;
}
