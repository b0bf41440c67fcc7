/**
 * Why a session is over, for people. The reasons are those of README.md, "Channel sessions".
 * @typedef {{ title: string, text: string }} Ending
 */

/** @type {Readonly<Record<string, Ending>>} */
const endings = {
  ended: { title: 'You are signed out', text: 'Sign in again whenever you like.' },
  revoked: { title: 'Your session was ended by an administrator', text: 'You can sign in again.' },
  replaced: { title: 'You signed in somewhere else', text: 'Only one session at a time is allowed here.' },
  banned: {
    title: 'You are banned',
    text: 'An administrator has banned this player. What you have done stays; whoever runs this server can say more.',
  },
  erased: { title: 'This player was erased', text: 'Everything of theirs is gone. Signing in begins anew.' },
  expired: { title: 'Your session has run out', text: 'Sign in again to go on.' },
  token_expired: { title: 'Your session has run out', text: 'Sign in again to go on.' },
  token_invalid: { title: 'This sign-in no longer holds', text: 'Sign in again to go on.' },
};

/**
 * @param {string | null} reason an `endReason`, or the reason a token was refused for
 * @param {string} [message] the server's own words, which may name the `endReason`
 * @returns {Ending}
 */
export function endingOf(reason, message = '') {
  const named = /has ended \((\w+)\)/.exec(message)?.[1];
  return (
    endings[named ?? reason ?? ''] ?? {
      title: 'Your session is over',
      text: message || 'Sign in again to go on.',
    }
  );
}

/**
 * Why a game is closed to the player, while the launcher is not.
 * @param {string | null} reason
 * @param {string} game its name
 * @returns {Ending}
 */
export function gameEndingOf(reason, game) {
  if (reason === 'banned') {
    return {
      title: `You are banned from ${game}`,
      text: 'An administrator has banned you from this game. Others are open to you.',
    };
  }
  const { title, text } = endingOf(reason);
  return { title: `${game}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, text };
}
