import type { z } from 'zod';
import type { Api } from './api.ts';
import type { Answer } from './http.ts';
import { accepted } from './outcome.ts';
import { channelMessage, messageChannel } from './records.ts';
import type { TestPlayer } from './server.ts';

/** What players do in message channels, as far as tests need it for their setup. */
export interface Conversations {
  /** Calls `/launcher/<path>` with the player's token. */
  as(player: TestPlayer, path: string, body?: object): Promise<Answer>;
  create(creator: TestPlayer, ...others: (TestPlayer | string)[]): Promise<z.infer<typeof messageChannel>>;
  send(sender: TestPlayer, channelId: string, content: string): Promise<z.infer<typeof channelMessage>>;
}

export function conversationsOn(api: Api): Conversations {
  const as: Conversations['as'] = ({ launcherJwt }, path, body) =>
    api.post(`/launcher/${path}`, { launcherJwt, ...body });
  return {
    as,
    async create(creator, ...others) {
      const otherParticipants = others.map((other) => (typeof other === 'string' ? other : other.wallet));
      return accepted(await as(creator, 'create-message-channel', { otherParticipants }), messageChannel);
    },
    async send(sender, channelId, content) {
      return accepted(await as(sender, 'send-channel-message', { channelId, content }), channelMessage);
    },
  };
}
