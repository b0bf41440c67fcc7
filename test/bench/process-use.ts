import { readdirSync, readFileSync } from 'node:fs';

/** A process's resource use so far, all its threads together. */
export interface ProcessUse {
  /** CPU time, in seconds. */
  cpuSeconds: number;
  residentBytes: number;
}

/** Reads it on Linux; null elsewhere. */
export function useOf(pid: number): ProcessUse | null {
  try {
    const cpuNs = readdirSync(`/proc/${pid}/task`).reduce(
      (total, thread) => total + runtimeOf(pid, thread),
      0,
    );
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { cpuSeconds: cpuNs / 1e9, residentBytes: Number(resident) * 1024 };
  } catch {
    return null;
  }
}

/** The same for a process and its children, such as a PostgreSQL server. */
export function useOfAll(pid: number): ProcessUse | null {
  const uses = [pid, ...childrenOf(pid)].flatMap((one) => useOf(one) ?? []);
  if (uses.length === 0) return null;
  return uses.reduce((all, one) => ({
    cpuSeconds: all.cpuSeconds + one.cpuSeconds,
    residentBytes: all.residentBytes + one.residentBytes,
  }));
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

/** In nanoseconds; 0 for a thread that has just ended. */
function runtimeOf(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}
