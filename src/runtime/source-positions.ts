import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** By the URL of a compiled file; null without one. Read when the first stack is shown, as Node's own are at loading. */
const maps = new Map<string, SourceMap | null>();

/**
 * Compiled into every entry file of the program: stack traces name the lines of the source. Node's own way,
 * `--enable-source-maps`, reads all source maps at start, which takes 55 MB and as long as a third of the start.
 */
Error.prepareStackTrace = (error, frames) => {
  const lines = frames.map(
    (frame) => `\n    at ${String(frame).replace(/file:\/\/\S+?\.js:\d+:\d+/, inSource)}`,
  );
  return `${error}${lines.join('')}`;
};

function inSource(position: string): string {
  const [, file = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(position) ?? [];
  try {
    if (!maps.has(file)) maps.set(file, mapOf(file));
    const entry = maps.get(file)?.findOrigin(Number(line), Number(column));
    if (!entry || !('fileName' in entry)) return position;
    return `${new URL(entry.fileName, file).href}:${entry.lineNumber}:${entry.columnNumber}`;
  } catch {
    return position; // an error while showing an error would hide it
  }
}

function mapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
