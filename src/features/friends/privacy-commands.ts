import { type Audience, streamOf } from '../../core/events/stream.ts';
import { lockAccount } from '../../core/events/stream-locks.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { privacyIn } from './account.ts';
import { privacyPatched } from './events.ts';
import type { Privacy, PrivacyChanges } from './privacy.ts';
import { playerPrivacy } from './tables.ts';

/** Changes what a player lets others know and do; omitted fields are kept. */
export const setPrivacy = command(
  'setPrivacy',
  function* (tx, wallet: string, changes: PrivacyChanges): Steps<Privacy> {
    yield* lockAccount(tx, wallet);
    const before = yield* privacyIn(tx, wallet);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const privacy: Privacy = { ...before, ...Object.fromEntries(given) };
    const { showGame, searchable, showPlaytime, ...texts } = privacy;
    tx.put(playerPrivacy, {
      wallet,
      ...texts,
      showGame: Number(showGame),
      searchable: Number(searchable),
      showPlaytime: Number(showPlaytime),
      updatedAt: tx.now,
    });
    const record = { ...privacy, normalizedAddress: wallet, updatedAt: tx.now };
    const audience: Audience = { kind: 'account', wallet, inGames: null };
    tx.emit(streamOf.account(wallet), privacyPatched, record, audience);
    return privacy;
  },
);
