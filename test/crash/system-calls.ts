/** A process's file operations, and its responses: the part of `strace` output that matters for a power cut. */
export type Operation =
  | { kind: 'create'; path: string }
  | { kind: 'write'; path: string; bytes: Buffer; offset: number | 'end' }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'link' | 'rename'; path: string; to: string }
  | { kind: 'remove'; path: string }
  /** What was written before it `began` is on disk from `done` on. */
  | { kind: 'sync'; path: string; is: 'began' | 'done' }
  /** A successful response began to be sent to the client at this port. */
  | { kind: 'answer'; port: number }
  | { kind: 'nothing' };

/** The maximum length kept of an argument, in bytes: files are written a page at a time. */
const keptBytes = 4096;

const traced = [
  'openat,open,creat',
  'pwrite64,write,writev,pwritev,pwritev2',
  'ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range',
  'link,linkat,rename,renameat,renameat2,unlink,unlinkat',
].join(',');

/** The arguments of `strace` for `SystemCalls`: every thread, with all data in hexadecimal. */
export function straceArguments(output: string): string[] {
  return ['-f', '--seccomp-bpf', '-yy', '-xx', '-s', `${keptBytes}`, '-o', output, '-e', `trace=${traced}`];
}

/** Parses `strace` output line by line, as `straceArguments` orders it; only files of one directory count. */
export class SystemCalls {
  /** In the order they began; a sync appears twice. */
  readonly operations: Operation[] = [];
  readonly #directory: string;
  /** Calls interrupted by other threads, by thread: their position, and the output so far. */
  readonly #unfinished = new Map<string, { at: number; text: string }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  read(line: string): void {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    const text = line.slice(space).trimStart();
    if (text.startsWith('<... ')) {
      const call = this.#unfinished.get(thread);
      this.#unfinished.delete(thread);
      if (call) this.#ended(call.at, text);
      return;
    }
    const operation = this.#operation(text);
    if (operation.kind === 'nothing') return;
    this.operations.push(operation);
    const at = this.operations.length - 1;
    if (text.endsWith('<unfinished ...>')) this.#unfinished.set(thread, { at, text });
    else this.#ended(at, text);
  }

  /** The call's result is known: a sync takes effect now, and a failed call had none. */
  #ended(at: number, text: string): void {
    const operation = this.operations[at];
    if (/= -1 E\w+ \([^)]*\)$/.test(text)) this.operations[at] = { kind: 'nothing' };
    else if (operation?.kind === 'sync') this.operations.push({ ...operation, is: 'done' });
  }

  #operation(text: string): Operation {
    const [, name = '', rest = ''] = /^(\w+)\((.*)$/s.exec(text) ?? [];
    switch (name) {
      case 'openat': {
        const [, hex = '', flags = ''] = /^AT_FDCWD<[^>]*>, "([^"]*)", (\S+?)[,)]/.exec(rest) ?? [];
        return flags.includes('O_CREAT') ? this.#inside({ kind: 'create', path: decode(hex) }) : nothing;
      }
      case 'pwrite64': {
        const [, path = '', hex = '', cut, , offset] =
          /^\d+<([^>]*)>, "([^"]*)"(\.\.\.)?, (\d+), (\d+)/.exec(rest) ?? [];
        return this.#write(decode(path), hex, cut, Number(offset));
      }
      case 'write':
      case 'writev': {
        const [, path = '', , hex = '', cut] =
          /^\d+<(.*?)>, (\[\{iov_base=)?"([^"]*)"(\.\.\.)?/.exec(rest) ?? [];
        const to = decode(path);
        const port = /^TCP.*:(\d+)\]$/.exec(to)?.[1];
        if (port === undefined) return this.#write(to, hex, cut, 'end');
        return hex.startsWith(success) ? { kind: 'answer', port: Number(port) } : nothing;
      }
      case 'ftruncate': {
        const [, path = '', size] = /^\d+<([^>]*)>, (\d+)/.exec(rest) ?? [];
        return this.#inside({ kind: 'truncate', path: decode(path), size: Number(size) });
      }
      case 'fsync':
      case 'fdatasync': {
        const [, path = ''] = /^\d+<([^>]*)>/.exec(rest) ?? [];
        return this.#inside({ kind: 'sync', path: decode(path), is: 'began' });
      }
      case 'link':
      case 'rename': {
        const [, path = '', to = ''] = /^"([^"]*)", "([^"]*)"/.exec(rest) ?? [];
        return this.#inside({ kind: name, path: decode(path), to: decode(to) });
      }
      case 'unlink': {
        const [, path = ''] = /^"([^"]*)"/.exec(rest) ?? [];
        return this.#inside({ kind: 'remove', path: decode(path) });
      }
      default:
        // An unparsable line must not be ignored silently.
        if (decode(rest.replaceAll('"', '')).includes(this.#directory)) {
          throw new Error(`${name} on a file of ${this.#directory} is not understood`);
        }
        return nothing;
    }
  }

  #write(path: string, hex: string, cut: string | undefined, offset: number | 'end'): Operation {
    if (!path.startsWith(this.#directory)) return nothing;
    if (cut !== undefined) throw new Error(`a write to ${path} of more than ${keptBytes} bytes`);
    return this.#inside({ kind: 'write', path, bytes: bytesOf(hex), offset });
  }

  #inside(operation: Exclude<Operation, { kind: 'answer' | 'nothing' }>): Operation {
    return operation.path.startsWith(this.#directory) ? operation : nothing;
  }
}

const nothing: Operation = { kind: 'nothing' };
const success = [...'HTTP/1.1 200'].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join('');

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

function decode(text: string): string {
  return text.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (hex) => bytesOf(hex).toString());
}
