import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { Icon } from '../../shared/icon.js';
import { link } from '../../shared/link.js';
import { Markdown } from '../../shared/markdown.js';
import { Picture } from '../../shared/picture.js';
import { dayTime, minuteTime, RelativeTime } from '../../shared/relative-time.js';
import { ErrorState, LoadingRows, messageOf } from '../../shared/states.js';
import { toastError } from '../../shared/toasts.js';
import { whenPassed } from '../../shared/when-passed.js';
import { playtimeText } from '../playtime.js';

/**
 * @typedef {import('gantry-client').OperationOutput<'getGame'>['game']} GamePage
 * @typedef {import('gantry-client').OperationOutput<'listReleases'>['releases'][number]} Release
 * @typedef {import('gantry-client').OperationOutput<'getEvents'>['events'][number]} CalendarEvent
 * @typedef {import('gantry-client').OperationOutput<'getPlaytime'>['playtime'][number]} Playtime
 * @typedef {{ page: GamePage, releases: readonly Release[], events: readonly CalendarEvent[], playtime: Playtime | undefined }} About
 */

const shownReleases = 5;
const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Everything about a game: what it is, what it requires, its events and releases.
 * @param {{ launcher: import('../launcher.js').Launcher, game: import('../open-game.js').Game }} props
 */
export function GameDialog({ launcher, game }) {
  const { playerGames, current, inbox } = launcher;
  const refusal = launcher.refusal?.gameId === game.gameId ? launcher.refusal.error : null;
  const [about, setAbout] = useState(/** @type {About | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const load = () => {
    setError(null);
    launcher.readAbout(game.gameId, shownReleases).then(setAbout, setError);
  };
  useEffect(load, []);
  useEffect(() => launcher.onCalendar(game.gameId, load), []);
  // Only of the open game, the launcher is told when an event starts or ends.
  useEffect(
    () =>
      whenPassed(
        about?.events.map(({ current, next }) => current?.endsAt ?? next?.startsAt ?? null) ?? [],
        load,
      ),
    [about],
  );
  const favorite = playerGames.favorites.has(game.gameId);
  const muted = inbox.isMuted(game.gameId);
  const close = () => launcher.places.closeDialog('about');
  const isOpen = current?.game.gameId === game.gameId;
  const play = () => launcher.show(game);
  return html`
    <${Dialog}
      title=${game.name}
      onClose=${close}
      actions=${html`
        <${Button} kind="plain" aria-pressed=${favorite ? 'true' : 'false'} onClick=${() => playerGames.setFavorite(game.gameId, !favorite).catch(toastError)}>
          <${Icon} name="star" />Favorite
        <//>
        <${Button} kind="plain" aria-pressed=${muted ? 'false' : 'true'} onClick=${() => inbox.setMuted(game.gameId, !muted).catch(toastError)}>
          <${Icon} name=${muted ? 'bellOff' : 'bell'} />Notifications
        <//>
        ${
          isOpen
            ? html`<${Button} onClick=${close}>Close<//>`
            : html`<${Button} kind="primary" onClick=${play}><${Icon} name="game" />${refusal ? 'Try again' : game.url === '' ? 'Details' : 'Play'}<//>`
        }
      `}
    >
      ${refusal && html`<${Refusal} refusal=${refusal} />`}
      ${
        error !== null
          ? html`<${ErrorState} error=${error} title="Could not load this game" onRetry=${load} />`
          : about === null
            ? html`<${LoadingRows} rows=${4} label="Loading ${game.name}" />`
            : html`<${Contents} about=${about} playing=${playerGames.playing(game)} isRefused=${refusal !== null} />`
      }
    <//>
  `;
}

/** Why the game could not be opened. @param {{ refusal: import('gantry-client').GantryError }} props */
function Refusal({ refusal }) {
  const missing = /** @type {readonly import('../../../src/core/errors.ts').MissingToken[]} */ (
    refusal.data.missing ?? []
  );
  return html`
    <div class="banner bad" role="alert">
      <${Icon} name="alert" />
      <span>
        ${messageOf(refusal)}
        ${
          missing.length > 0 &&
          html`
            <ul class="missing" aria-label="What you are missing">
              ${missing.map(
                ({ standard, contract, chainId, tokenId, amount, owned }) => html`
                  <li key="${chainId} ${contract} ${tokenId}">
                    ${standard.replace('erc', 'ERC-')}${tokenId !== undefined && ` ${tokenId}`}: you have ${owned} of ${amount}
                    <span class="mono small">${contract} on chain ${chainId}</span>
                  </li>
                `,
              )}
            </ul>
          `
        }
      </span>
    </div>
  `;
}

/** @param {{ about: About, playing: number | null, isRefused: boolean }} props */
function Contents({ about: { page, releases, events, playtime }, playing, isRefused }) {
  const facts = [
    ['Players now', playing === null ? 'Unknown' : String(playing)],
    ['You have played', playtime ? playtimeText(playtime.seconds) : 'Not yet'],
    ['Age rating', page.ageRating],
    ['Version', page.version],
    ['Requires', !isRefused && page.access ? page.access.text : ''],
  ].filter(([, value]) => value !== '');
  return html`
    <div class="about-game">
      ${page.description !== '' && html`<p class="about-description">${page.description}</p>`}
      ${page.tags.length > 0 && html`<ul role="list" class="tags" aria-label="Tags">${page.tags.map((tag) => html`<li key=${tag}>${tag}</li>`)}</ul>`}
      <dl class="facts">${facts.map(([name, value]) => html`<div key=${name} class=${name === 'Requires' ? 'wide-fact' : ''}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${page.media.length > 0 && html`<ul role="list" class="game-media" aria-label="Pictures and videos">${page.media.map((one) => html`<li key=${one.url}><${Medium} medium=${one} /></li>`)}</ul>`}
      ${
        events.length > 0 &&
        html`
          <h3>Events</h3>
          <ul role="list" class="game-events">
            ${events.map(({ key, title, current, next }) => html`<li key=${key}><strong>${title || key}</strong><span class="quiet small">${current ? html`Now, until ${eventTime(current.endsAt)}` : next && html`${eventTime(next.startsAt)} to ${eventTime(next.endsAt)} · <${RelativeTime} at=${next.startsAt} />`}</span></li>`)}
          </ul>
        `
      }
      <h3>Releases</h3>
      ${
        releases.length === 0
          ? html`<p class="quiet small">No releases have been published.</p>`
          : html`
              <ol role="list" class="releases">
                ${releases.map(
                  ({ version: name, notes, required, publishedAt, url }) => html`
                    <li key=${name}>
                      <p><strong>${name}</strong> <span class="quiet small"><${RelativeTime} at=${publishedAt} />${required && ' · required'}</span> ${url !== '' && html`<span class="small">${link(url, 'Get it')}</span>`}</p>
                      ${notes !== '' && html`<${Markdown} text=${notes} />`}
                    </li>
                  `,
                )}
              </ol>
            `
      }
    </div>
  `;
}

/** @param {{ medium: GamePage['media'][number] }} props */
function Medium({ medium: { kind, url, alt } }) {
  if (kind === 'video') return link(url, alt || 'Video');
  return html`<${Picture} src=${url} alt=${alt} text=${alt || 'Picture'} />`;
}

/** In the player's time zone: the day of the week when it is near. @param {number} time */
function eventTime(time) {
  return Math.abs(time - Date.now()) < weekMs - 24 * 60 * 60 * 1000 ? dayTime(time) : minuteTime(time);
}
