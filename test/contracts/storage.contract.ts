import { describe } from 'vitest';
import { actionsContract } from './storage/actions.contract.ts';
import { administratorsContract } from './storage/administrators.contract.ts';
import { blocksContract } from './storage/blocks.contract.ts';
import { carryingOutContract } from './storage/carrying-out.contract.ts';
import { commitsContract } from './storage/commits.contract.ts';
import { eventsContract } from './storage/events.contract.ts';
import { type OpenEmptyStore, sharedStore } from './storage/fixture.ts';
import { gamesContract } from './storage/games.contract.ts';
import { guestsContract } from './storage/guests.contract.ts';
import { leaderboardsContract } from './storage/leaderboards.contract.ts';
import { listCursorsContract } from './storage/list-cursors.contract.ts';
import { messageChannelsContract } from './storage/message-channels.contract.ts';
import { messagesContract } from './storage/messages.contract.ts';
import { mutesContract } from './storage/mutes.contract.ts';
import { notificationsContract } from './storage/notifications.contract.ts';
import { playerDataContract } from './storage/player-data.contract.ts';
import { reactionsContract } from './storage/reactions.contract.ts';
import { readMarkersContract } from './storage/read-markers.contract.ts';
import { repliesContract } from './storage/replies.contract.ts';
import { reportsContract } from './storage/reports.contract.ts';
import { rulesContract } from './storage/rules.contract.ts';
import { scoresContract } from './storage/scores.contract.ts';
import { sessionsContract } from './storage/sessions.contract.ts';
import { stateVersionsContract } from './storage/state-versions.contract.ts';
import { storageQuotaContract } from './storage/storage-quota.contract.ts';
import { webhooksContract } from './storage/webhooks.contract.ts';

/** What commands and queries promise on every engine, tried through them alone. */
export function storageContract(adapter: string, openEmpty: OpenEmptyStore): void {
  describe(`${adapter} keeps the promises of a store`, () => {
    const open = sharedStore(openEmpty);
    commitsContract(open);
    gamesContract(open);
    administratorsContract(open);
    sessionsContract(open);
    guestsContract(open);
    scoresContract(open);
    leaderboardsContract(open);
    playerDataContract(open);
    stateVersionsContract(open);
    storageQuotaContract(open);
    eventsContract(open);
    messageChannelsContract(open);
    messagesContract(open);
    notificationsContract(open);
    blocksContract(open);
    reportsContract(open);
    mutesContract(open);
    readMarkersContract(open);
    listCursorsContract(open);
    reactionsContract(open);
    repliesContract(open);
    rulesContract(open);
    actionsContract(open);
    webhooksContract(open);
    carryingOutContract(open);
  });
}
