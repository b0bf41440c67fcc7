import { connectionLost, GantryError, schemeMissing } from './client-error.ts';
import { sentJsonOf } from './json.ts';
import { sdkVersion } from './operation-names.ts';

/** A server, and what the game tells it with every call. */
export interface GameServer {
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The version of the game, one to four numbers such as `1.4.2`. The server may require a newer one: `update_required`. */
  gameVersion?: string | undefined;
}

export interface HttpCallOptions {
  gameSecret?: string | undefined;
  /** The game's slug or id: a token of another game is refused. */
  game?: string | undefined;
  /** Wallet of the player, for proxies: see `ClientOptions.routeByPlayer`. */
  player?: string | undefined;
  /** In milliseconds. */
  timeoutMs?: number | undefined;
}

/** Calls an operation by method dispatch. @throws GantryError */
export async function callOverHttp(
  { url, gameVersion }: GameServer,
  operation: string,
  data: object,
  { gameSecret, game, player, timeoutMs = 15_000 }: HttpCallOptions = {},
): Promise<unknown> {
  if (!/^(https?:\/\/|\/|$)/i.test(url)) throw schemeMissing(url);
  const query = game === undefined ? '' : `?gameId=${encodeURIComponent(game)}`;
  const response = await fetch(`${url.replace(/\/$/, '')}/launcher${query}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Method': operation,
      'X-Gantry-Version': sdkVersion,
      ...(gameVersion !== undefined && { 'X-Game-Version': gameVersion }),
      ...(player !== undefined && { 'X-Gantry-Player': player }),
      ...(gameSecret !== undefined && { Authorization: `Bearer ${gameSecret}` }),
    },
    body: sentJsonOf(data),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw connectionLost(url);
  });
  const body = await response.json().catch(() => null);
  if (body !== null && response.ok) return body;
  const retryAfterSeconds = body?.data?.retryAfterSeconds ?? secondsOf(response.headers.get('Retry-After'));
  // A response without JSON comes from a proxy, which with these two statuses has not forwarded the call.
  const isRefusal = body !== null || response.status === 429 || response.status === 503;
  if (!isRefusal) throw connectionLost(url);
  throw new GantryError({
    message: `The server answered with status ${response.status}`,
    code: response.status,
    ...body,
    data: { ...body?.data, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  });
}

/** `Retry-After` is a number of seconds or a date: RFC 9110, 10.2.3. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
