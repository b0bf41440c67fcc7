import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { RateLimits } from '../../calls/limits/rate-limits.ts';
import type { Traffic } from '../../calls/limits/traffic.ts';
import type { ServedFile } from '../../pages/served-file.ts';
import { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import { closeIfSlow } from './slow-clients.ts';

export interface FileDependencies {
  limits: Pick<RateLimits, 'countFile'>;
  traffic: Pick<Traffic, 'admitFile' | 'spendFile'>;
  /** The client's address, as seen through trusted proxies. */
  addressOf(request: IncomingMessage): string;
}

/** Requests begun in one turn of the event loop: hundreds of visitors at the same moment do not delay calls. */
const perTurn = 4;

/** Answers requests for pages and files, which need no token and are therefore limited by address. */
export class FileResponses {
  readonly #dependencies: FileDependencies;
  readonly #turns = new ConcurrencyLimiter(perTurn);

  constructor(dependencies: FileDependencies) {
    this.#dependencies = dependencies;
  }

  /** Refuses an address over its limits before anything is read; lets the others through in turns. */
  readonly admit: RequestHandler = async (request, _response, next) => {
    const address = this.#dependencies.addressOf(request);
    this.#dependencies.limits.countFile(address);
    this.#dependencies.traffic.admitFile(address);
    await this.#turns.take(async () => next());
  };

  /** Sends a file in an encoding the client accepts, or 304 when the client's copy is fresh. */
  async send(request: Request, response: Response, file: ServedFile): Promise<void> {
    const encoding = file.choose((encodings) => request.acceptsEncodings(encodings));
    response.setHeader('Content-Type', file.type);
    response.vary('Accept-Encoding');
    response.setHeader(
      'ETag',
      encoding === 'identity' ? `"${file.version}"` : `"${file.version}-${encoding}"`,
    );
    if (response.statusCode === 200 && request.fresh) {
      response.status(304).end();
      return;
    }
    const body = await file.in(encoding);
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', body.byteLength);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    this.#dependencies.traffic.spendFile(this.#dependencies.addressOf(request), body.byteLength);
    response.end(body);
    closeIfSlow(response, body.byteLength);
  }
}
