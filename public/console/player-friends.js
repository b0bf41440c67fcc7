import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { asCount } from './numbers.js';
import { usePages } from './queries.js';

/** @typedef {import('./admin.js').Output<'listPlayerFriends'>} Listed */
/** @typedef {Listed['friends'][number]} Friend */

/**
 * A player's friends, friend requests and privacy, the same in all games.
 * @param {{ wallet: string }} props
 */
export function PlayerFriends({ wallet }) {
  const admin = useAdmin();
  const [about, setAbout] = useState(/** @type {Pick<Listed, 'counts' | 'privacy'> | null} */ (null));
  const cursor = useRef('');
  const pages = usePages(
    async ({ limit, skip }) => {
      const after = skip === 0 ? {} : { cursor: cursor.current };
      const { friends, nextCursor, counts, privacy } = await admin.call('listPlayerFriends', {
        wallet,
        limit,
        ...after,
      });
      cursor.current = nextCursor;
      setAbout({ counts, privacy });
      return { data: friends };
    },
    (/** @type {Friend} */ { wallet: other }) => other,
    [wallet],
  );
  /** @type {import('./virtual-table.js').Column<Friend>[]} */
  const columns = [
    {
      title: 'Player',
      wide: true,
      cell: ({ wallet: other, username, avatar }) =>
        html`<${PlayerCell} wallet=${other} username=${username} avatar=${avatar} brief />`,
      value: ({ username }) => username,
    },
    { title: 'Wallet', exportOnly: true, cell: () => null, value: ({ wallet: other }) => other },
    {
      title: 'State',
      narrow: 'bare',
      cell: ({ state }) => html`<span class="badge ${state === 'friend' ? 'good' : ''}">${state}</span>`,
      value: ({ state }) => state,
    },
    {
      title: 'Since',
      narrow: 'omit',
      cell: ({ changedAt }) => html`<${TimeCell} at=${changedAt} />`,
      value: ({ changedAt }) => isoTime(changedAt),
    },
    {
      title: 'End',
      hidden: true,
      cell: ({ wallet: other, username, state }) => {
        const what = state === 'friend' ? 'friendship' : 'request';
        return html`
          <${ConfirmButton}
            needs="removePlayerFriend"
            label=${`End ${what} with ${username}`}
            text=${`End ${what}`}
            title=${`End this ${what}?`}
            confirm=${`End ${what}`}
            act=${() => admin.call('removePlayerFriend', { wallet, friend: other })}
            done=${state === 'friend' ? 'Friendship ended' : 'Request ended'}
            reload=${pages.reload}
          >
            <p>${username} and this player disappear from each other's lists, and invites between them end. They can become friends again, unless one blocks the other.</p>
          <//>
        `;
      },
    },
  ];
  return html`
    ${about && html`<${About} ...${about} />`}
    <${DataTable}
      caption="Friends and friend requests of the player"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Friend} */ { wallet: other }) => other}
      fileName="friends-${wallet}"
      filter="Filter by name"
      empty=${html`<${Empty} icon="people" title="No friends yet"><p>No friend requests either. A player has the same friends in all games.</p><//>`}
    />
  `;
}

/** @param {Pick<Listed, 'counts' | 'privacy'>} props */
function About({ counts, privacy }) {
  const whether = (/** @type {boolean} */ is) => (is ? 'yes' : 'no');
  return html`
    <div class="player-sections">
      <section class="card" aria-labelledby="friend-counts">
        <div class="card-head"><h2 id="friend-counts">Friends</h2></div>
        <dl class="card-body facts">
          <div><dt>Friends</dt><dd>${asCount(counts.friend)}</dd></div>
          <div><dt>Requests sent</dt><dd>${asCount(counts.sent)}</dd></div>
          <div><dt>Requests received</dt><dd>${asCount(counts.received)}</dd></div>
        </dl>
      </section>
      <section class="card" aria-labelledby="privacy">
        <div class="card-head"><h2 id="privacy">Privacy</h2></div>
        <dl class="card-body facts">
          <div><dt>Requests from</dt><dd>${privacy.requests === 'code' ? 'who has the friend code' : privacy.requests}</dd></div>
          <div><dt>Online status</dt><dd>${privacy.presence === 'friends' ? 'shown to friends' : 'hidden'}${privacy.showGame ? '' : ', without the game'}</dd></div>
          <div><dt>Invites from</dt><dd>${privacy.invites}</dd></div>
          <div><dt>Found by name</dt><dd>${whether(privacy.searchable)}</dd></div>
          <div><dt>Playtime shown</dt><dd>${whether(privacy.showPlaytime)}</dd></div>
        </dl>
      </section>
    </div>
  `;
}
