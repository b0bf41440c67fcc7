import { FeathersError } from '@feathersjs/errors';

/** Feathers' error names and class names by HTTP status. */
const statuses = {
  400: { name: 'BadRequest', className: 'bad-request' },
  401: { name: 'NotAuthenticated', className: 'not-authenticated' },
  403: { name: 'Forbidden', className: 'forbidden' },
  404: { name: 'NotFound', className: 'not-found' },
  405: { name: 'MethodNotAllowed', className: 'method-not-allowed' },
  408: { name: 'Timeout', className: 'timeout' },
  409: { name: 'Conflict', className: 'conflict' },
  413: { name: 'PayloadTooLarge', className: 'payload-too-large' },
  429: { name: 'TooManyRequests', className: 'too-many-requests' },
  500: { name: 'GeneralError', className: 'general-error' },
  503: { name: 'Unavailable', className: 'unavailable' },
} as const;

export type Status = keyof typeof statuses;

/**
 * Every error reason with its status. Callers branch on `data.reason`, so an entry here is part of the public
 * interface: public/docs/errors.md documents each, and a test compares the two lists.
 */
export const reasons = {
  input_invalid: 400,
  body_not_json: 400,
  body_not_object: 400,
  body_too_deep: 400,
  number_not_exact: 400,
  score_not_integer: 400,
  score_not_finite: 400,
  state_not_json: 400,
  state_too_large: 400,
  paging_invalid: 400,
  address_invalid: 400,
  game_unknown: 400,
  favorite_limit_reached: 400,
  channel_unknown: 400,
  message_unknown: 400,
  participants_invalid: 400,
  channel_limit_reached: 400,
  adding_declined: 400,
  player_blocked: 400,
  player_not_blocked: 400,
  blocked_everywhere: 400,
  not_a_friend: 400,
  friend_limit_reached: 400,
  friend_request_unknown: 400,
  friend_code_unknown: 400,
  requests_not_accepted: 400,
  invite_unknown: 400,
  invite_limit_reached: 400,
  not_joinable: 400,
  block_limit_reached: 400,
  report_unknown: 400,
  report_closed: 400,
  report_about_self: 400,
  report_limit_reached: 400,
  already_reported: 400,
  player_not_muted: 400,
  words_not_allowed: 400,
  reaction_limit_reached: 400,
  play_session_ended: 400,
  end_time_before_start: 400,
  sign_in_unknown: 400,
  sign_in_expired: 400,
  sign_in_used: 400,
  sign_in_attempts_exhausted: 400,
  rule_invalid: 400,
  action_unknown: 400,
  action_not_cancellable: 400,
  action_not_retryable: 400,
  spending_limit_reached: 400,
  webhook_unknown: 400,
  webhook_url_refused: 400,
  webhook_limit_reached: 400,
  webhook_disabled: 400,
  delivery_unknown: 400,
  slug_taken: 400,
  player_unknown: 400,
  guest_address: 400,
  not_a_guest: 400,
  device_limit_reached: 400,
  last_device: 400,
  player_not_banned: 400,
  score_unknown: 400,
  leaderboard_unknown: 400,
  leaderboard_name_taken: 400,
  leaderboard_limit_reached: 400,
  season_unknown: 400,
  season_ended: 400,
  schedule_invalid: 400,
  news_unknown: 400,
  news_limit_reached: 400,
  release_unknown: 400,
  release_version_taken: 400,
  release_limit_reached: 400,
  calendar_event_unknown: 400,
  calendar_event_key_taken: 400,
  calendar_event_limit_reached: 400,
  maintenance_unknown: 400,
  label_unknown: 400,
  label_limit_reached: 400,
  score_sum_too_large: 400,
  config_version_unknown: 400,
  config_too_large: 400,
  secret_unknown: 400,
  chain_unknown: 400,
  socket_required: 400,
  administrator_unknown: 400,
  administrator_name_taken: 400,
  administrator_is_self: 400,
  administrator_limit_reached: 400,
  backup_unknown: 400,
  backup_unavailable: 400,
  cursors_invalid: 400,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  session_ended: 401,
  session_unknown: 401,
  player_banned: 401,
  admin_token_invalid: 401,
  admin_token_expired: 401,
  secret_invalid: 401,
  secret_required: 401,
  game_mismatch: 401,
  signature_invalid: 401,
  signature_incomplete: 401,
  signature_required: 401,
  nonce_replayed: 401,
  origin_not_allowed: 401,
  not_a_launcher: 401,
  play_session_not_yours: 401,
  permission_missing: 401,
  not_the_sender: 401,
  wallet_signature_invalid: 401,
  sign_in_required: 401,
  device_unknown: 401,
  server_only: 403,
  role_insufficient: 403,
  muted: 403,
  game_archived: 403,
  leaderboard_private: 403,
  guests_forbidden: 403,
  access_denied: 403,
  update_required: 403,
  client_too_old: 403,
  friends_forbidden: 403,
  path_unknown: 404,
  service_unknown: 404,
  method_unknown: 405,
  body_too_slow: 408,
  nonce_reused: 409,
  guest_upgraded: 409,
  wallet_taken: 409,
  idempotency_key_reused: 409,
  states_changed: 409,
  version_conflict: 409,
  rules_changed: 409,
  news_changed: 409,
  config_changed: 409,
  calendar_event_changed: 409,
  backup_running: 409,
  body_too_large: 413,
  storage_full: 413,
  rate_limited: 429,
  internal: 500,
  store_unavailable: 503,
  backup_failed: 503,
  chain_unavailable: 503,
  access_unknown: 503,
  not_ready: 503,
  maintenance: 503,
  server_busy: 503,
} as const satisfies Record<string, Status>;

export type Reason = keyof typeof reasons;

/** A validation error: the dotted path to the field, and a description. */
export interface FieldError {
  path: string;
  message: string;
}

/** The body of every error response, over HTTP and as the first argument of a socket's ack. */
export interface ErrorBody {
  success: false;
  error: string;
  name: string;
  message: string;
  code: number;
  className: string;
  /** `success` and `error` again: Feathers clients of basement.fun read `err.data.error`. */
  data: {
    reason: Reason;
    success: false;
    error: string;
    retryAfterSeconds?: number;
    /** With `session_ended`. */
    endReason?: string;
    /** With `access_denied`. */
    missing?: readonly MissingToken[];
    /** With `update_required`. */
    update?: RequiredUpdate;
  } & Partial<PresentVersion>;
  errors?: FieldError[];
}

/** `data` of a `version_conflict`: the current version of a label, 0 when there is no state. */
export interface PresentVersion {
  label: string;
  version: number;
}

/** A token of which a player has less than a game requires. Amounts in its smallest unit, as decimal texts. */
export interface MissingToken {
  standard: string;
  chainId: number;
  contract: string;
  /** Of ERC-1155. */
  tokenId?: string;
  amount: string;
  owned: string;
}

/** What to install, and where; texts are empty when the game has not set them. */
export interface RequiredUpdate {
  version: string;
  url: string;
  message: string;
}

interface Details {
  fields?: FieldError[] | undefined;
  /** Of a config, news item or event, which has no label, only the version. */
  present?: Partial<PresentVersion> | undefined;
  cause?: unknown;
  retryAfterSeconds?: number | undefined;
  endReason?: string | undefined;
  missing?: readonly MissingToken[] | undefined;
  update?: RequiredUpdate | undefined;
}

/**
 * The only error returned to callers. `message` is for people and must not contain internals (stack, SQL, path or
 * secret); programs read `reason`.
 */
export class GantryError extends FeathersError {
  readonly reason: Reason;
  readonly fields: FieldError[] | undefined;
  readonly present: Partial<PresentVersion> | undefined;
  /** When to retry, in whole seconds from now. */
  readonly retryAfterSeconds: number | undefined;
  /** With `session_ended`: why the session ended. */
  readonly endReason: string | undefined;
  /** With `access_denied`: the tokens that the player lacks; where a game requires any of several, all of them. */
  readonly missing: readonly MissingToken[] | undefined;
  /** With `update_required`. */
  readonly update: RequiredUpdate | undefined;

  constructor(reason: Reason, message: string, details: Details = {}) {
    const status = reasons[reason];
    super(message, statuses[status].name, status, statuses[status].className, {
      reason,
      success: false,
      error: message,
      ...inData(details),
    });
    this.reason = reason;
    this.fields = details.fields;
    this.present = details.present;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.endReason = details.endReason;
    this.missing = details.missing;
    this.update = details.update;
    // For logs only; `toJSON` omits it.
    if (details.cause !== undefined) this.cause = details.cause;
  }

  override toJSON(): ErrorBody {
    return {
      success: false,
      error: this.message,
      name: this.name,
      message: this.message,
      code: this.code,
      className: this.className,
      data: { reason: this.reason, success: false, error: this.message, ...inData(this) },
      ...(this.fields && { errors: this.fields }),
    };
  }
}

/** Further fields of `data`. Socket responses have no headers, so `Retry-After` is repeated here. */
function inData({
  present,
  retryAfterSeconds,
  endReason,
  missing,
  update,
}: Omit<Details, 'fields' | 'cause'>) {
  return {
    ...present,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(endReason !== undefined && { endReason }),
    ...(missing !== undefined && { missing }),
    ...(update && { update }),
  };
}

/** Refuses one field of the input, named by its path. */
export function invalidField(path: string, message: string, reason: Reason = 'input_invalid'): GantryError {
  return new GantryError(reason, `${path}: ${message}`, { fields: [{ path, message }] });
}

/**
 * Converts any thrown value to the error returned to the caller. Anything but a `GantryError` is an unhandled error:
 * its details are passed to `report`, and the caller gets a 500 without them.
 */
export function toGantryError(thrown: unknown, report: (thrown: unknown) => void): GantryError {
  if (thrown instanceof GantryError) return thrown;
  report(thrown);
  return new GantryError('internal', 'Internal error; the operation was not executed');
}
