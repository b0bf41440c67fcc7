/** Where a record of another system comes from. */
export interface Place {
  file: string;
  /** From 1. */
  line: number;
}

/** A record of another system, in the form of `importedRecord`; it has not been checked yet. */
export interface SourceRecord extends Place {
  record: Record<string, unknown>;
}

/** What a source finds that cannot be imported. */
export interface Findings {
  /** A row that is broken, or refers to something that does not exist. */
  refuse(place: Place, reason: string): void;
  /** Things that Gantry has no place for. */
  leaveOut(what: string, why: string, count?: number): void;
}

/** Reads the files of a system, one record after another. */
export type Source = (files: readonly string[], findings: Findings) => Iterable<SourceRecord>;

/** A map, because files and their fields may have any name, such as `constructor`. */
export function byName<Value = string>(values: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(values));
}
