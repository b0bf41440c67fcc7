import { html } from 'htm/preact';
import { useState } from 'preact/hooks';

/**
 * A game's image, or its initials when it has none or the image fails to load.
 * @param {{ game: { gameId: string, name: string, image: string } }} props
 */
export function GameCover({ game }) {
  const [failed, setFailed] = useState(false);
  const isShown = game.image !== '' && !failed;
  return html`
    <div class="cover" style=${{ '--hue': hueOf(game.gameId) }} aria-hidden="true">
      ${isShown ? html`<img src=${game.image} alt="" loading="lazy" referrerpolicy="no-referrer" onError=${() => setFailed(true)} />` : initials(game.name)}
    </div>
  `;
}

/** A colour derived from the game's id. @param {string} gameId */
function hueOf(gameId) {
  let sum = 0;
  for (const character of gameId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return sum;
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
}
