import {
  type AnyCommand,
  command,
  exclusiveCommand,
  type Steps,
  type Tx,
} from '../../core/storage/command.ts';
import { removeFriendsOf } from '../friends/commands.ts';
import { removeBlocksOn } from '../messages/blocks/commands.ts';
import { clearAdder, leaveAllChannels } from '../messages/channel-commands.ts';
import { eraseMessagesOf } from '../messages/message-commands.ts';
import { eraseReactionsOf } from '../messages/reaction-commands.ts';
import { removeReportsAbout } from '../moderation/reports/commands.ts';
import { hideStatesOf } from '../states/commands.ts';
import {
  blankTexts,
  eraseAtOnce,
  eraseLinks,
  eraseRows,
  eraseScores,
  finishErasing,
} from './erasing-commands.ts';
import {
  anonymizeEvents,
  blankOwnEvents,
  eraseChannelInfo,
  eraseOwnEvents,
} from './erasing-event-commands.ts';
import { continueErasing, type Erased } from './erasure-schedule.ts';
import {
  eraseGameChannels,
  eraseGameEvents,
  eraseGameRows,
  erasePlayerStreams,
  finishErasingGame,
} from './game-erasing-commands.ts';

const steps: ReadonlyMap<string, AnyCommand> = new Map(
  [
    hideStatesOf,
    eraseAtOnce,
    blankTexts,
    blankOwnEvents,
    eraseMessagesOf,
    eraseReactionsOf,
    eraseChannelInfo,
    leaveAllChannels,
    clearAdder,
    removeBlocksOn,
    removeFriendsOf,
    removeReportsAbout,
    anonymizeEvents,
    eraseScores,
    eraseLinks,
    eraseOwnEvents,
    eraseRows,
    finishErasing,
    eraseGameEvents,
    eraseGameRows,
    eraseGameChannels,
    erasePlayerStreams,
    finishErasingGame,
  ].map((step: AnyCommand) => [step.commandName, step]),
);

/** Null when another process has completed the erasure. */
type Outcome = { result: unknown } | null;

function* run(tx: Tx, erased: Erased, name: string, args: readonly unknown[]): Steps<Outcome> {
  const step = steps.get(name);
  if (!step) throw new Error(`${name} is no step of an erasure`);
  return (yield* continueErasing(tx, erased)) ? { result: yield* step.run(tx, args) } : null;
}

/** Runs a step of erasing a player or game by its name, unless the erasure has been completed meanwhile. */
export const runErasingStep = command('runErasingStep', run);
/** The same, for a step that needs a dedicated transaction. */
export const runExclusiveErasingStep = exclusiveCommand('runExclusiveErasingStep', run);
