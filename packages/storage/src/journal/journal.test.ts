import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { parseJson, type Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { LoggedChange, LoggedObject } from "../contract/change-log.ts";
import type { SelectionPredicate } from "../contract/storage.ts";
import { MemoryStorage, type MemoryStorageOptions } from "../memory/memory-storage.ts";
import { Journal } from "./journal.ts";
import { segmentPath, snapshotPath } from "./journal-files.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";
import { keyOf, perform, valuesAfter } from "./testing/operations.ts";

const needs = { meta: { needs: "Linux" } };

let directory = "";
const compiled = mkdtempSync(join(tmpdir(), "journal-writer-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const all: SelectionPredicate = { isEmpty: true, matches: () => true };
const open = async (options: MemoryStorageOptions = {}, segmentBytes = 1_000_000): Promise<MemoryStorage> =>
  new MemoryStorage({ ...options, log: await Journal.open({ directory, segmentBytes }) });
const configMap = (name: string): Unstructured => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

async function valuesIn(storage: MemoryStorage): Promise<ReadonlyMap<string, number>> {
  const { items } = await storage.getList("/core/configmaps/", { predicate: all });
  return new Map(
    items.map((item) => [item.metadata.name, Number((item as { data?: { value?: string } }).data?.value)]),
  );
}

const put = (resourceVersion: number, filling = ""): LoggedChange => ({
  ...{ type: "put", resourceVersion, key: `/core/configmaps/o${resourceVersion}` },
  object: { ...configMap(`o${resourceVersion}`), filling } as Unstructured,
});
const files = (begin: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.startsWith(begin))
    .sort();
const recordsOf = (path: string): JournalRecord[] =>
  linesOf(readFileSync(path)).map((line) => parseJson(String(line.subarray(9))) as JournalRecord);
const sizeOf = (...records: readonly JournalRecord[]): number =>
  records.reduce((sum, record) => sum + encodeRecord(record, 0).line.length, 0);

test.each([0, 1])("a new file is begun once the last has its size, %i bytes more than two records", async (more) => {
  const log = await Journal.open({ directory });
  log.append(put(2));
  log.append(put(3));
  await log.close();
  const size = readFileSync(join(directory, files("journal-")[0] ?? "")).length;
  rmSync(directory, { recursive: true });
  const failures: unknown[] = [];
  const again = await Journal.open({
    ...{ directory, segmentBytes: size + more },
    onSnapshotFailure: (error) => failures.push(error),
  });
  for (const version of [2, 3, 4]) again.append(put(version));
  await again.close();
  expect(failures).toEqual([]);
  expect(files("snapshot-")).toEqual(more === 0 ? ["snapshot-0000000000000003.log"] : []);
  expect(files("journal-")).toEqual([`journal-000000000000000${more === 0 ? 3 : 1}.log`]);
});

test("a snapshot has every object once, and only its owner can read the files", async () => {
  const log = await Journal.open({ directory, segmentBytes: 1 });
  const objects = Array.from({ length: 1_201 }, (_, n) => ({ key: `/core/x/${n}`, object: configMap(`${n}`) }));
  log.source(() => objects as unknown as LoggedObject[]);
  log.append(put(2));
  await log.close();
  const path = snapshotPath(directory, 1);
  const records = recordsOf(path);
  expect(records[0]).toEqual({ type: "begin", format: 2, resourceVersion: 1, follows: 0 });
  expect(records.at(-1)).toEqual({ type: "end", resourceVersion: 1, count: 1_201 });
  expect(records.slice(1, -1)).toEqual(objects.map((object) => ({ type: "put", resourceVersion: 1, ...object })));
  for (const name of [...files("snapshot-"), ...files("journal-")])
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  const second = await Journal.open({ directory });
  expect(second.restored).toMatchObject({ forgottenThrough: 1, resourceVersion: 2, changes: [put(2)] });
  expect(second.restored.objects).toHaveLength(1_201);
  await second.close();
});

test("after a large snapshot the next file grows as large", async () => {
  const log = await Journal.open({ directory, segmentBytes: 1_000 });
  log.source(
    () => [{ key: "/core/x", object: { ...configMap("x"), filling: "x".repeat(20_000) } }] as unknown as LoggedObject[],
  );
  for (let version = 2; files("journal-").length < 2 && files("snapshot-").length === 0; version++)
    log.append(put(version));
  await expect.poll(() => files("snapshot-").filter((name) => name.endsWith(".log"))).toHaveLength(1);
  await expect.poll(() => files("journal-")).toHaveLength(1);
  const [name = ""] = files("journal-");
  const at = Number(/\d+/.exec(name)?.[0]);
  const next = at + recordsOf(join(directory, name)).length;
  for (let version = next; version < next + 50; version++) log.append(put(version, "x".repeat(200)));
  expect(sizeOf(...Array.from({ length: 50 }, () => put(next, "x".repeat(200))))).toBeGreaterThan(10_000);
  expect(files("journal-")).toEqual([name]);
  await log.close();
});

test("where no new file can be begun, the old one is written on, and an eighth later it is tried again", async () => {
  const failures: unknown[] = [];
  const line = sizeOf(put(20));
  const log = await Journal.open({
    ...{ directory, segmentBytes: 8 * line },
    onSnapshotFailure: (error) => failures.push(error),
  });
  const inTheWay = Array.from({ length: 100 }, (_, change) => `${segmentPath(directory, change + 2)}.unfinished`);
  for (const path of inTheWay) mkdirSync(path);
  const appended: number[] = [];
  let version = 2;
  for (; failures.length < 3; version++) {
    log.append(put(version));
    appended.push(failures.length);
  }
  const counted = [1, 2].map((count) => appended.filter((seen) => seen === count).length);
  expect(counted[0]).toBeLessThanOrEqual(2);
  expect(counted[1]).toBeLessThanOrEqual(2);
  expect(appended.filter((seen) => seen === 0).length).toBeGreaterThanOrEqual(7);
  await log.close();
  for (const path of inTheWay) rmSync(path, { recursive: true });
  const second = await Journal.open({ directory });
  expect(second.restored).toMatchObject({ forgottenThrough: 1, resourceVersion: version - 1 });
  await second.close();
});

test("sixteen mebibytes are in a file before the next is begun", async () => {
  const log = await Journal.open({ directory });
  const filling = "x".repeat(1024 * 1024);
  for (let version = 2; version < 18; version++) log.append(put(version, filling));
  expect(files("journal-")).toHaveLength(1);
  log.append(put(18, filling));
  expect(files("journal-")).toContain("journal-0000000000000017.log");
  await log.close();
});

test("a journal that cannot be opened holds no lock, and one that is closed has one end", async () => {
  const { path } = await written(2);
  const bytes = readFileSync(path);
  writeFileSync(path, "");
  await expect(Journal.open({ directory })).rejects.toThrow("the file is empty");
  expect(files("lock")).toEqual([]);
  writeFileSync(path, bytes);
  const log = await Journal.open({ directory });
  expect(files("lock")).toHaveLength(1);
  expect(log.close()).toBe(log.close());
  await log.close();
  expect(files("lock")).toEqual([]);
});

test("objects, versions and the history of a resource are there after a restart", async () => {
  const first = await open();
  for (let n = 1; n <= 40; n++) await perform(first, n);
  const version = first.currentResourceVersion();
  await first.close();

  const second = await open();
  expect(second.currentResourceVersion()).toBe(version);
  expect(await valuesIn(second)).toEqual(valuesAfter(40));
  const seen: string[] = [];
  const stopping = new AbortController();
  await perform(second, 41);
  const watch = second.watch("/core/configmaps/", {
    resourceVersion: String(version - 2),
    predicate: all,
    signal: stopping.signal,
  });
  for await (const event of watch) {
    seen.push(`${event.type} ${event.resourceVersion}`);
    if (event.resourceVersion === version + 1) stopping.abort();
  }
  expect(seen.map((text) => text.split(" ")[1])).toEqual([version - 1, version, version + 1].map(String));
  await second.close();
});

test("a snapshot replaces older files, and older positions expire", async () => {
  const first = await open({}, 5_000);
  for (let n = 1; n <= 200; n++) await perform(first, n);
  const version = first.currentResourceVersion();
  await first.close();
  const names = readdirSync(directory).sort();
  expect(names.filter((name) => name.startsWith("snapshot-"))).toHaveLength(1);
  expect(names.filter((name) => name.startsWith("journal-")).length).toBeLessThanOrEqual(2);

  const second = await open({}, 5_000);
  expect(await valuesIn(second)).toEqual(valuesAfter(200));
  expect(second.currentResourceVersion()).toBe(version);
  const watch = second.watch("/core/configmaps/", {
    resourceVersion: "2",
    predicate: all,
    signal: new AbortController().signal,
  });
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: "Expired" });
  await second.close();
});

/** Writes a journal with this many operations; returns its file and its lines, the first being the file's header. */
async function written(operations: number): Promise<{ readonly path: string; readonly lines: readonly Buffer[] }> {
  const storage = await open();
  for (let n = 1; n <= operations; n++) await perform(storage, n);
  await storage.close();
  const [name = ""] = readdirSync(directory).filter((file) => file.startsWith("journal-"));
  const path = join(directory, name);
  return { path, lines: linesOf(readFileSync(path)) };
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

test("a record truncated at any byte undoes only that write", async () => {
  const { path, lines } = await written(4);
  const whole = Buffer.concat(lines);
  const lastRecord = whole.length - (lines.at(-1)?.length ?? 0);
  for (let length = lastRecord; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    const storage = await open();
    expect(await valuesIn(storage)).toEqual(valuesAfter(3));
    await perform(storage, 4);
    await storage.close();
    expect(readFileSync(path)).toEqual(whole);
  }
});

test("any flipped bit is detected, even in the last record and its line feed", async () => {
  const { path, lines } = await written(4);
  const whole = Buffer.concat(lines);
  for (let byte = 0; byte < whole.length; byte++) {
    const bytes = Buffer.from(whole);
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (byte % 8));
    writeFileSync(path, bytes);
    await expect(open(), `byte ${byte}`).rejects.toThrow(path);
  }
  writeFileSync(path, whole);
  const storage = await open();
  expect(await valuesIn(storage)).toEqual(valuesAfter(4));
  await storage.close();
});

test.each<readonly [string, (lines: readonly Buffer[]) => readonly Buffer[], line: number]>([
  ["removed", (lines) => lines.toSpliced(3, 1), 4],
  ["of its beginning removed", (lines) => lines.slice(1), 1],
  ["written twice", (lines) => lines.toSpliced(3, 0, lines[3] ?? Buffer.alloc(0)), 5],
  ["exchanged with the next", (lines) => [...lines.slice(0, 3), ...lines.slice(3, 5).reverse(), ...lines.slice(5)], 4],
  [
    "cut short",
    (lines) => lines.with(3, Buffer.concat([lines[3]?.subarray(0, 30) ?? Buffer.alloc(0), Buffer.from("\n")])),
    4,
  ],
  ["joined with the next", (lines) => lines.with(3, lines[3]?.subarray(0, -1) ?? Buffer.alloc(0)), 4],
  ["of zeros", (lines) => lines.with(3, Buffer.alloc(100)), 4],
  ["too many at the end", (lines) => [...lines, Buffer.from("abc def\n")], 8],
])(
  "a line %s is detected by file and record, and truncating there continues with the preceding records",
  async (_what, change, line) => {
    const { path, lines } = await written(6);
    const changed = change(lines);
    writeFileSync(path, Buffer.concat([...changed]));
    const byte = Buffer.concat([...linesOf(Buffer.concat([...changed]))].slice(0, line - 1)).length;
    await expect(open()).rejects.toThrow(
      `${path}: the record in line ${line}, at byte ${byte}, is damaged, or one before it is missing; restore the file from a copy, ` +
        `or truncate it there (truncate -s ${byte} ${path}) to continue with the preceding records`,
    );
    if (byte === 0) return;
    truncateSync(path, byte);
    const storage = await open();
    expect(await valuesIn(storage)).toEqual(valuesAfter(line - 2));
    await storage.close();
  },
);

test("an emptied or missing file is detected, unless it is moved aside", async () => {
  const first = await open({}, 4_000);
  for (let n = 1; n <= 40; n++) await perform(first, n);
  const version = first.currentResourceVersion();
  await first.close();
  const [name = ""] = readdirSync(directory)
    .filter((file) => file.startsWith("journal-"))
    .slice(-1);
  const path = join(directory, name);
  const bytes = readFileSync(path);
  truncateSync(path, 0);
  await expect(open()).rejects.toThrow(`${path}: the file is empty`);
  rmSync(path);
  await expect(open()).rejects.toThrow(`${path}: the file is missing`);
  writeFileSync(`${path}.damaged`, bytes);
  const second = await open();
  expect(second.currentResourceVersion()).toBeLessThanOrEqual(version);
  expect(await second.count("/core/configmaps/")).toBeGreaterThan(0);
  await second.close();
});

test("a missing, truncated or replaced file between others is detected", async () => {
  const failing = { directory, segmentBytes: 2_000 };
  const journal = await Journal.open(failing);
  const storage = new MemoryStorage({ log: journal });
  // a directory in the snapshot's place: the older files stay
  for (let version = 1; version < 60; version++) mkdirSync(`${snapshotPath(directory, version)}.unfinished`);
  for (let n = 1; n <= 30; n++) await perform(storage, n);
  await storage.close();
  for (let version = 1; version < 60; version++)
    rmSync(`${snapshotPath(directory, version)}.unfinished`, { recursive: true, force: true });
  const names = readdirSync(directory).filter((file) => file.startsWith("journal-"));
  expect(names.length).toBeGreaterThan(2);
  const [before = "", path = "", after = ""] = names.map((name) => join(directory, name));
  const bytes = readFileSync(path);

  writeFileSync(path, Buffer.concat(linesOf(bytes).slice(0, -1)));
  await expect(open()).rejects.toThrow(`are missing before ${after}`);
  rmSync(path);
  await expect(open()).rejects.toThrow(`are missing before ${after}`);
  writeFileSync(path, bytes);
  const [begin, ...records] = linesOf(readFileSync(before)).map((line) => String(line));
  const other = records.map((line) => parseJson(line.slice(9)) as LoggedChange);
  let checksum = 0;
  const encoded = [parseJson(String(begin).slice(9)) as JournalRecord, ...other].map((record, index) => {
    const changed = index === 1 && record.type === "put" ? { ...record, expiresAtMs: 1e15 } : record;
    const { line, checksum: next } = encodeRecord(changed, checksum);
    checksum = next;
    return line;
  });
  const whole = readFileSync(before);
  writeFileSync(before, Buffer.concat(encoded));
  await expect(open()).rejects.toThrow(`${path}: the file does not continue ${before}, which was changed or replaced`);
  writeFileSync(before, whole);
  const last = await open();
  expect(await valuesIn(last)).toEqual(valuesAfter(30));
  await last.close();
});

test("a failed snapshot leaves nothing behind, and is soon retried", async () => {
  const failures: unknown[] = [];
  const log = await Journal.open({
    directory,
    segmentBytes: 8_000,
    onSnapshotFailure: (error) => failures.push(error),
  });
  const storage = new MemoryStorage({ log });
  const snapshots = (): string[] => readdirSync(directory).filter((name) => name.startsWith("snapshot-"));
  // a directory that prevents a rename
  for (let version = 1; version < 200; version++)
    mkdirSync(join(snapshotPath(directory, version), "full"), { recursive: true });
  let n = 0;
  while (failures.length === 0) {
    await perform(storage, ++n);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => snapshots().filter((name) => name.endsWith(".unfinished"))).toEqual([]);
  for (let version = 1; version < 200; version++) rmSync(snapshotPath(directory, version), { recursive: true });
  for (const end = n + 12; n < end; ) await perform(storage, ++n); // an eighth of a file, and more
  await expect.poll(snapshots, { timeout: 10_000 }).toEqual([expect.stringMatching(/^snapshot-\d+\.log$/)]);
  await storage.close();
  const second = await open();
  expect(await valuesIn(second)).toEqual(valuesAfter(n));
  await second.close();
});

test("a write without disk space is rejected, in memory and on disk, and leaves nothing behind", {
  timeout: 60_000,
}, async () => {
  const script = join(import.meta.dirname, "testing", "limited-writer.ts");
  const node = ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning", script, directory];
  const limited = ["-c", 'ulimit -f 40; exec "$0" "$@"', process.execPath, ...node];
  const child = spawn("sh", limited, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(child, "close");
  const { done, version, errors, count } = JSON.parse(text);
  expect(errors).toEqual(["EFBIG", "EFBIG", "EFBIG"]);
  expect(done).toBeGreaterThan(20);
  expect(count).toBe(valuesAfter(done).size);
  const storage = await open();
  expect(storage.currentResourceVersion()).toBe(version);
  expect(await valuesIn(storage)).toEqual(valuesAfter(done));
  await perform(storage, done + 1);
  await storage.close();
});

test("incomplete files of an ended process are removed", async () => {
  const { path } = await written(3);
  writeFileSync(`${snapshotPath(directory, 9)}.unfinished`, "x");
  writeFileSync(`${path}.unfinished`, "x");
  await (await open()).close();
  expect(readdirSync(directory).filter((name) => name.endsWith(".unfinished"))).toEqual([]);
});

test("a journal without chained checksums is read, validated by its versions, and continues in the new form", async () => {
  const { path, lines } = await written(6);
  const old = lines.slice(1).map((line) => {
    const json = line.subarray(9, -1);
    return Buffer.concat([Buffer.from(`${crc32(json).toString(16).padStart(8, "0")} `), json, Buffer.from("\n")]);
  });
  writeFileSync(path, Buffer.concat(old.toSpliced(2, 1)));
  await expect(open()).rejects.toThrow(/the record in line 3, at byte \d+, has version 5 and should have 4/);
  writeFileSync(path, Buffer.concat(old));
  const storage = await open();
  expect(await valuesIn(storage)).toEqual(valuesAfter(6));
  for (let n = 7; n <= 12; n++) await perform(storage, n);
  await storage.close();
  expect(readFileSync(path)).toEqual(Buffer.concat(old));
  const next = await open();
  expect(await valuesIn(next)).toEqual(valuesAfter(12));
  await next.close();
});

test("only one process can use a directory", async () => {
  const first = await open();
  await expect(open()).rejects.toThrow(`data directory ${directory} is in use by process ${process.pid}`);
  await first.close();
  await (await open()).close();
});

test("objects still expire after a restart, at their time", async () => {
  const clock = new FakeClock();
  const first = await open({ clock });
  await first.create("/core/events/default/e", configMap("e"), { ttlSeconds: 60 });
  await first.close();
  await clock.advance(40_000);
  const second = await open({ clock });
  await clock.advance(19_000);
  expect(await second.count("/core/events/")).toBe(1);
  await clock.advance(2_000);
  expect(await second.count("/core/events/")).toBe(0);
  await second.close();
});

/** Kills a writer after it acknowledged at least this many operations; returns the last acknowledged one. */
function killedWriter(folder: string, begin: number, acknowledgements: number): Promise<number> {
  const script = join(import.meta.dirname, "testing", "writer.ts");
  const node = ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...node, script, folder, String(begin)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled }, // avoids compiling the same files in two hundred processes
    });
    let text = "";
    child.stdout.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (text.split("\n").length > acknowledgements) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const whole = text.slice(0, text.lastIndexOf("\n")).split("\n");
      if (code === null) resolve(Number(whole.at(-1) ?? begin - 1));
      else reject(new Error(`the writer ended by itself with ${code}`));
    });
  });
}

const kills = 200;
const atOnce = 4;

/** Kills consecutive writers on one journal, and checks each time that acknowledged writes exist. */
async function killAndLook(lane: number): Promise<void> {
  const folder = join(directory, `lane-${lane}`);
  let done = 0;
  for (let round = lane; round < kills; round += atOnce) {
    const acknowledged = await killedWriter(folder, done + 1, 1 + ((round * 37) % 60));
    expect(acknowledged).toBeGreaterThan(done);
    const storage = new MemoryStorage({ log: await Journal.open({ directory: folder, segmentBytes: 20_000 }) });
    const values = await valuesIn(storage);
    const oneMore = valuesAfter(acknowledged + 1);
    const isNext = JSON.stringify([...values].sort()) === JSON.stringify([...oneMore].sort());
    done = isNext ? acknowledged + 1 : acknowledged;
    expect(values).toEqual(valuesAfter(done));
    for (const name of values.keys()) expect(await storage.get(keyOf(name))).toBeDefined();
    await storage.close();
  }
}

test("kill -9, two hundred times: no acknowledged write is lost", { timeout: 600_000 }, async () => {
  await Promise.all(Array.from({ length: atOnce }, (_, lane) => killAndLook(lane)));
});

test.runIf(process.platform === "linux")(
  "a closed journal keeps no file open, even if closed repeatedly",
  needs,
  async () => {
    const openFiles = (): string[] =>
      readdirSync("/proc/self/fd").flatMap((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory) ? [fd] : [];
        } catch {
          return []; // the process was reading the directory
        }
      });
    const storage = await open({}, 200); // new files are created often
    for (let n = 1; n <= 20; n++) await storage.create(keyOf(`a-${n}`), configMap(`a-${n}`));
    expect(openFiles().length).toBeGreaterThan(0);
    await storage.close();
    await storage.close();
    expect(openFiles()).toEqual([]);
  },
);
