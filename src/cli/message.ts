import { Command } from 'commander';
import { listGameChannels } from '../features/messages/operations/message-channels.ts';
import { listMessages, removeMessage } from '../features/messages/operations/messages.ts';
import type { Administrator } from './administrator.ts';
import { type PageOptions, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface ListOptions extends PageOptions {
  json?: boolean;
}

export function messageCommand(administrator: Administrator): Command {
  const command = new Command('message').description('list message channels and messages, remove messages');

  withPageOptions(command.command('channels'))
    .description("list a game's message channels, latest activity first")
    .requiredOption('--game <game>', 'game ID or slug')
    .addHelpText('after', '\nExample:\n  gantry message channels --game space-race')
    .action(async ({ game, json, ...page }: ListOptions & { game: string }) => {
      const gameId = await administrator.gameId(game);
      const { data } = await administrator.execute(listGameChannels, { gameId, ...page });
      printList(data, json, ({ _id, name, participants }) => ({
        channelId: _id,
        name,
        participants: participants.length,
      }));
    });

  withPageOptions(command.command('list'))
    .description('list the messages of a channel, newest first')
    .requiredOption('--channel <channel>', 'message channel ID')
    .addHelpText('after', '\nExample:\n  gantry message list --channel 0198…')
    .action(async ({ channel: channelId, json, ...page }: ListOptions & { channel: string }) => {
      const { data } = await administrator.execute(listMessages, { channelId, ...page });
      printList(data, json, ({ _id, senderId, content, createdAt }) => ({
        messageId: _id,
        created: new Date(createdAt).toISOString(),
        wallet: senderId,
        content: JSON.stringify(content), // escapes line breaks
      }));
    });

  command
    .command('remove <message>')
    .description('remove a message; its content is erased permanently')
    .addHelpText('after', '\nExample:\n  gantry message remove 0198…')
    .action(async (messageId: string, { json }: { json?: boolean }) => {
      await administrator.execute(removeMessage, { messageId });
      print({ messageId, removed: true }, json);
    });
  return command;
}
