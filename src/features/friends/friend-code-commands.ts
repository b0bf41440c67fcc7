import { lockAccount } from '../../core/events/stream-locks.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { friendCodeOf } from './friend-code.ts';
import { friendCodes } from './tables.ts';

/** The player's friend code; `isNew`: a new one, after which the former no longer works. */
export const giveFriendCode = command(
  'giveFriendCode',
  function* (tx, wallet: string, { isNew }: { isNew: boolean }): Steps<string> {
    const [, row] = yield* tx.all(lockAccount(tx, wallet), tx.get(friendCodes, wallet));
    if (row && !isNew) return row.code;
    const code = friendCodeOf(tx.newId());
    if (yield* tx.get(friendCodes.byCode, code)) throw new Error('a friend code was drawn twice');
    tx.put(friendCodes, { wallet, code });
    return code;
  },
);
