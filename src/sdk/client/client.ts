export type { Api, CallArguments, CallOptions } from './api.ts';
export type { QueuedOutcome } from './call-queue.ts';
export type { ClientReason, MissingToken, RequiredUpdate } from './client-error.ts';
export { GantryError, GantryError as ClientError } from './client-error.ts';
export type { ClientOptions } from './client-options.ts';
export type { Status } from './client-status.ts';
export type { Config } from './config.ts';
export { type ConnectOptions, connect, connectAsGuest, connectWithWallet } from './connect.ts';
export type { Cursor, Meta } from './cursors.ts';
export type { FollowedFriend, FriendList, Friends } from './friends.ts';
export { GantryClient } from './gantry-client.ts';
export type { Leaderboard } from './leaderboard.ts';
export type * from './operation-types.ts';
export type { Player, SignedIn } from './player.ts';
export {
  type GuestOptions,
  type Sign,
  signInAsGuest,
  signInWithWallet,
  upgradeGuest,
  type WalletOptions,
} from './sign-in.ts';
export { localStorageStore, type QueuedCall, type Saved, type Store } from './store.ts';
