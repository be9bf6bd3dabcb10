import { createReadStream, createWriteStream } from "node:fs";
import { access, readdir, rm, stat } from "node:fs/promises";
import { dirname, format, join, parse } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Options that determine which old logs are kept. */
export interface OldLogsOptions {
  /** Maximum age of an old log, in days. `Infinity` disables the limit. */
  readonly maxAgeDays: number;
  /** Maximum number of old logs. `Infinity` disables the limit. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

const compressed = ".gz";
const dayMs = 24 * 60 * 60 * 1_000;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;

/** Returns an unused name under which to keep a full log, such as `audit-2026-03-01T12-00-00.000.log` for `audit.log`. */
export async function backupName(path: string, nowMs: number): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let ms = nowMs; ; ms++) {
    const backup = format({ dir, name: `${name}-${timeText(ms)}`, ext });
    if (!(await isThere(backup)) && !(await isThere(backup + compressed))) return backup;
  }
}

/**
 * Removes old logs beyond the maximum age or number, and compresses the remaining ones if requested. A log's age is
 * determined from the time in its name.
 *
 * @see lumberjack Logger.millRunOnce
 */
export async function tidyOldLogs(path: string, options: OldLogsOptions, nowMs: number): Promise<void> {
  const { maxAgeDays, maxBackups, compress } = options;
  if (!Number.isFinite(maxAgeDays) && !Number.isFinite(maxBackups) && !compress) return;
  const folder = dirname(path);
  const oldest = Number.isFinite(maxAgeDays) ? timeText(nowMs - maxAgeDays * dayMs) : "";
  const names = await readdir(folder);
  const times = new Map(names.flatMap((name) => timeIn(name, path)?.map((time) => [name, time] as const) ?? []));
  const newestFirst = [...new Set(times.values())].sort().reverse();
  const kept = new Set(newestFirst.slice(0, maxBackups));
  for (const [name, time] of times) {
    const file = join(folder, name);
    if (!kept.has(time) || time < oldest) await rm(file, { force: true });
    else if (compress && !name.endsWith(compressed)) await compressFile(file);
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");

/** Returns the time in the name of an old log, or `undefined` for all other files. */
function timeIn(name: string, path: string): readonly [string] | undefined {
  const { name: stem, ext } = parse(path);
  const plain = name.endsWith(compressed) && ext !== compressed ? name.slice(0, -compressed.length) : name;
  if (!plain.startsWith(`${stem}-`) || !plain.endsWith(ext)) return undefined;
  const time = plain.slice(stem.length + 1, plain.length - ext.length);
  return timePattern.test(time) ? [time] : undefined;
}

/** Compresses an old log. Overwrites an incomplete compressed file, which a process may have left behind when it was terminated. */
async function compressFile(file: string): Promise<void> {
  const { mode } = await stat(file);
  const target = file + compressed;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(target, { mode: mode & 0o777 }));
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
  await rm(file);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
