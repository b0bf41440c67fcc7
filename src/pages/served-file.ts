import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ConcurrencyLimiter } from '../runtime/concurrency-limiter.ts';

/** Files below this many bytes are not worth compressing. */
const minCompressedBytes = 1_024;
/** Below the maximum, which takes seconds for the largest files and saves little more. */
const brotliQuality = 9;

/**
 * Files compressed at the same time. First visitors of all files would otherwise take all threads of Node's pool, and
 * the processors from everybody else.
 */
const compressing = new ConcurrencyLimiter(1);

export type Encoding = 'identity' | 'gzip' | 'br';

/** A file with its media type, its version, and its bytes in each content encoding. */
export class ServedFile {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** See `versionOf`. */
  readonly version: string;
  readonly #encoded = new Map<Encoding, Promise<Uint8Array>>();

  constructor(name: string, bytes: Uint8Array) {
    this.bytes = bytes;
    this.type = typeOf(name);
    this.version = versionOf(bytes);
  }

  /** The best content encoding for this file among those the browser accepts. */
  choose(accepted: (encodings: Encoding[]) => string | false): Encoding {
    if (!compresses(this.type) || this.bytes.length < minCompressedBytes) return 'identity';
    const chosen = accepted(['br', 'gzip', 'identity']);
    return chosen === 'br' || chosen === 'gzip' ? chosen : 'identity';
  }

  /** Compressed once, on first use, off this thread. */
  in(encoding: Encoding): Promise<Uint8Array> {
    const done = this.#encoded.get(encoding) ?? this.#encode(encoding);
    this.#encoded.set(encoding, done);
    return done;
  }

  async #encode(encoding: Encoding): Promise<Uint8Array> {
    return encoding === 'identity' ? this.bytes : compressing.take(() => compress(this.bytes, encoding));
  }
}

/** The version of a file in its URL: the first 16 hex digits of its SHA-256. */
export function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

async function compress(bytes: Uint8Array, encoding: 'gzip' | 'br'): Promise<Uint8Array> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: 9 });
  return promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
  });
}

const compressed = 'application/zip';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  py: 'text/plain; charset=utf-8',
  cs: 'text/plain; charset=utf-8',
  asmdef: 'text/plain; charset=utf-8',
  jslib: 'text/plain; charset=utf-8',
  meta: 'text/plain; charset=utf-8',
  gd: 'text/plain; charset=utf-8',
  tscn: 'text/plain; charset=utf-8',
  godot: 'text/plain; charset=utf-8',
  cfg: 'text/plain; charset=utf-8',
  woff2: 'font/woff2', // already compressed
  zip: compressed,
};

function typeOf(name: string): string {
  if (name.endsWith('.d.ts')) return 'text/plain; charset=utf-8';
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

function compresses(type: string): boolean {
  if (type === compressed) return false;
  return type.startsWith('text/') || type.startsWith('application/') || type === 'image/svg+xml';
}
