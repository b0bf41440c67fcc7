import { z } from 'zod';
import { post } from '../../support/http.ts';
import type { Role, World } from '../../support/world.ts';
import { anyone, ownThings, refused, refusedTo } from '../access.ts';
import { errorBody } from '../expected.ts';
import type { InputOf, LauncherCases } from '../operation-case.ts';

const signRequest = `<host> wants you to sign in with your Ethereum account:
<owner>

Sign in to play Orbit.

URI: <url>
Version: 1
Chain ID: 1
Nonce: <nonce>
Issued At: <time>
Expiration Time: <time>
Resources:
- urn:uuid:<id>`;

const notALauncher = refused(401, 'not_a_launcher');
const takesSecret = refused(401, 'secret_required');
const notYourSignature = refused(401, 'wallet_signature_invalid');

export const channelSessionCases = {
  createUnverifiedChannel: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet }),
    answer: { success: true, channelId: '<id>', signRequest },
    access: anyone,
  },
  verifyUnverifiedChannel: {
    async input(world, by) {
      const { wallet, key } = signerOf(world, by);
      const signIn = await beginSignIn(world.server.url, { gameId: world.gameId, wallet });
      return {
        channelId: signIn.channelId,
        signature: await key.signMessage({ message: signIn.signRequest }),
      };
    },
    answer: { success: true, launcherJwt: 'token(<owner>, <game>)', jwt: 'token(<owner>, <game>)' },
    access: {
      ...refusedTo(notYourSignature),
      elsewhere: 'own',
      launcher: 'own',
      ended: 'own',
      revoked: 'own',
      banned: refused(401, 'player_banned'),
      anonymous: notYourSignature,
      forged: notYourSignature,
    },
  },

  channelStatus: {
    input: () => ({}),
    answer: { exists: true, present: false, wallet: '<owner>', openedAt: '<time>' },
    // That a session has ended is what its token may still ask.
    access: { ...ownThings, ended: 'own', revoked: 'own', banned: 'own' },
  },
  channelHeartbeat: { input: () => ({}), answer: { success: true }, access: ownThings },
  openChannelSession: {
    input: ({ otherGameId }) => ({ gameId: otherGameId }),
    caller: 'launcher',
    answer: {
      success: true,
      launcherJwt: 'token(<owner>, <other game>)',
      url: 'https://rapids.example/play?token=token(<owner>, <other game>)',
    },
    access: refusedTo(notALauncher, { owner: notALauncher, launcher: 'own', strangersLauncher: 'own' }),
  },
  listChannelSessions: {
    input: () => ({}),
    answer: {
      success: true,
      sessions: [
        {
          sessionId: "<owner's session>",
          gameId: '<game>',
          gameName: 'Orbit',
          openedAt: '<time>',
          expiresAt: '<time>',
          present: false,
        },
      ],
    },
    access: { ...ownThings, launcher: 'shared' },
  },
  revokeChannelSession: {
    input: ({ owner }) => ({ wallet: owner.wallet }),
    // No launcher token opens this, whoever's it is: `test/trust/sessions.test.ts` has the game's secret.
    answer: errorBody(takesSecret),
    access: {
      ...refusedTo(takesSecret, { owner: takesSecret }),
      ended: takesSecret,
      revoked: takesSecret,
      banned: takesSecret,
      anonymous: takesSecret,
      forged: takesSecret,
    },
  },
  endChannelSession: {
    input: ({ owner }) => ({ sessionId: owner.sessionId }),
    answer: { success: true },
    access: refusedTo(notALauncher, {
      launcher: 'shared',
      strangersLauncher: refused(401, 'session_unknown'),
    }),
  },
} satisfies Partial<LauncherCases>;

/**
 * Whose sign-in it is, and who signs: whoever has the owner's wallet signs with it, whoever has not with the
 * stranger's. The banned player signs a sign-in of their own, as it should be.
 */
function signerOf({ owner, banned, keys }: World, by: Role) {
  if (by === 'banned') return { wallet: banned.wallet, key: keys.banned };
  const hasTheWallet = ['owner', 'elsewhere', 'launcher', 'ended', 'revoked'].includes(by);
  return { wallet: owner.wallet, key: hasTheWallet ? keys.owner : keys.stranger };
}

const begunSignIn = z.object({ channelId: z.string(), signRequest: z.string() });

async function beginSignIn(url: string, input: InputOf<'createUnverifiedChannel'>) {
  return begunSignIn.parse((await post(`${url}/launcher/create-unverified-channel`, input)).body);
}
