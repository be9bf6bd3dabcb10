import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { MemoryStorage, type MemoryStorageOptions } from "../memory-storage.ts";
import type { Predicate } from "../storage.ts";
import { Journal } from "./journal.ts";
import { keyOf, perform, valuesAfter } from "./testing/deeds.ts";

let directory = "";
const compiled = mkdtempSync(join(tmpdir(), "journal-writer-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const all: Predicate = { isEmpty: true, matches: () => true };
const open = (options: MemoryStorageOptions = {}, segmentBytes = 1_000_000): MemoryStorage =>
  new MemoryStorage({ ...options, log: Journal.open({ directory, segmentBytes }) });
const configMap = (name: string): Unstructured => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

async function valuesIn(storage: MemoryStorage): Promise<ReadonlyMap<string, number>> {
  const { items } = await storage.getList("/core/configmaps/", { predicate: all });
  return new Map(
    items.map((item) => [item.metadata.name, Number((item as { data?: { value?: string } }).data?.value)]),
  );
}

test("objects, versions and the history of a resource are there after a restart", async () => {
  const first = open();
  for (let n = 1; n <= 40; n++) await perform(first, n);
  const version = first.currentResourceVersion();
  await first.close();

  const second = open();
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

test("a snapshot takes the place of older files, and older positions are forgotten", async () => {
  const first = open({}, 5_000);
  for (let n = 1; n <= 200; n++) await perform(first, n);
  const version = first.currentResourceVersion();
  await first.close();
  const names = readdirSync(directory).sort();
  expect(names.filter((name) => name.startsWith("snapshot-"))).toHaveLength(1);
  expect(names.filter((name) => name.startsWith("journal-")).length).toBeLessThanOrEqual(2);

  const second = open({}, 5_000);
  expect(await valuesIn(second)).toEqual(valuesAfter(200));
  expect(second.currentResourceVersion()).toBe(version);
  const watch = second.watch("/core/configmaps/", {
    resourceVersion: "2",
    predicate: all,
    signal: new AbortController().signal,
  });
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "Expired" });
  await second.close();
});

test("a record cut at any byte takes back that write alone", async () => {
  const first = open();
  for (let n = 1; n <= 4; n++) await perform(first, n);
  await first.close();
  const [name = ""] = readdirSync(directory).filter((file) => file.startsWith("journal-"));
  const path = join(directory, name);
  const whole = readFileSync(path);
  const lastRecord = whole.lastIndexOf("\n", whole.length - 2) + 1;
  for (let length = lastRecord; length < whole.length; length++) {
    writeFileSync(path, whole);
    truncateSync(path, length);
    const storage = open();
    expect(await valuesIn(storage)).toEqual(valuesAfter(3));
    await perform(storage, 4);
    await storage.close();
    expect(readFileSync(path)).toEqual(whole);
  }
});

test("a damaged record that others follow is refused by file and position", async () => {
  const first = open();
  for (let n = 1; n <= 4; n++) await perform(first, n);
  await first.close();
  const [name = ""] = readdirSync(directory).filter((file) => file.startsWith("journal-"));
  const path = join(directory, name);
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect(() => open()).toThrow(`${path}: the record at byte 0 is damaged and others follow it`);
});

test("a folder serves one process", async () => {
  const first = open();
  expect(() => open()).toThrow(`data directory ${directory} is in use by process ${process.pid}`);
  await first.close();
  await open().close();
});

test("what ends by itself still does after a restart, at its time", async () => {
  const clock = new FakeClock();
  const first = open({ clock });
  await first.create("/core/events/default/e", configMap("e"), { ttlSeconds: 60 });
  await first.close();
  await clock.advance(40_000);
  const second = open({ clock });
  await clock.advance(19_000);
  expect(await second.count("/core/events/")).toBe(1);
  await clock.advance(2_000);
  expect(await second.count("/core/events/")).toBe(0);
  await second.close();
});

/** Kills a writer after it acknowledged at least so many deeds; answers the last that it acknowledged. */
function killedWriter(folder: string, begin: number, acknowledgements: number): Promise<number> {
  const script = join(import.meta.dirname, "testing", "writer.ts");
  const node = ["--conditions=@kubewright/source", "--disable-warning=ExperimentalWarning"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...node, script, folder, String(begin)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled }, // two hundred processes need not compile the same files
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

/** Kills one writer after the other on one journal, and looks each time whether what was acknowledged is there. */
async function killAndLook(lane: number): Promise<void> {
  const folder = join(directory, `lane-${lane}`);
  let done = 0;
  for (let round = lane; round < kills; round += atOnce) {
    const acknowledged = await killedWriter(folder, done + 1, 1 + ((round * 37) % 60));
    expect(acknowledged).toBeGreaterThan(done);
    const storage = new MemoryStorage({ log: Journal.open({ directory: folder, segmentBytes: 20_000 }) });
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
