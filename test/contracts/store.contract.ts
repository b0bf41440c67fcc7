import { describe } from 'vitest';
import { actionsContract } from './store/actions.contract.ts';
import { commitsContract } from './store/commits.contract.ts';
import type { OpenStore } from './store/fixture.ts';
import { gamesContract } from './store/games.contract.ts';
import { messageChannelsContract } from './store/message-channels.contract.ts';
import { messagesContract } from './store/messages.contract.ts';
import { playerDataContract } from './store/player-data.contract.ts';
import { rulesContract } from './store/rules.contract.ts';
import { scoresContract } from './store/scores.contract.ts';
import { sessionsContract } from './store/sessions.contract.ts';
import { webhooksContract } from './store/webhooks.contract.ts';

/** What every store promises (`src/store/store.ts`), tried through its interface alone. */
export function storeContract(adapter: string, open: OpenStore): void {
  describe(`${adapter} keeps the promises of a store`, () => {
    commitsContract(open);
    gamesContract(open);
    sessionsContract(open);
    scoresContract(open);
    playerDataContract(open);
    messageChannelsContract(open);
    messagesContract(open);
    rulesContract(open);
    actionsContract(open);
    webhooksContract(open);
  });
}
