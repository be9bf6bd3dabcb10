import type { Unstructured } from "@kubewright/apimachinery";
import type { SelectionPredicate, StorageEvent } from "@kubewright/storage";
import { storageContract } from "@kubewright/storage/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdStorage } from "./etcd-storage.ts";
import { EtcdProcess, etcdProgram } from "./testing/etcd-process.ts";

const needs = {
  meta: { needs: "etcd in KUBEBUILDER_ASSETS or on the PATH: npm run envtest:build builds it, with Go" },
};

const program = etcdProgram();
if (!program) console.warn("not run: storage on etcd, since no etcd is in KUBEBUILDER_ASSETS or on the path");

const all: SelectionPredicate = { isEmpty: true, matches: () => true };
const configMap = (name: string, data: Record<string, string> = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  data,
});

describe.skipIf(!program)("EtcdStorage", needs, () => {
  let etcd: EtcdProcess;
  let prefixes = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start(program ?? "");
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  /** Opens two servers on one etcd, with their own keys. */
  async function two() {
    const prefix = `/test${++prefixes}`;
    const open = () => EtcdStorage.open({ endpoints: [etcd.url], prefix });
    const [a, b] = await Promise.all([open(), open()]);
    return { a, b, open, close: () => Promise.all([a.close(), b.close()]) };
  }

  it.each(storageContract)("$name", async ({ run }) => {
    const storage = await EtcdStorage.open({ endpoints: [etcd.url], prefix: `/test${++prefixes}` });
    await run(storage).finally(() => storage.close());
  });

  const keyOf = (name: string): string => `/core/configmaps/default/${name}`;
  const set = (value: string) => (current: unknown) => ({
    object: { ...structuredClone(current as Unstructured), data: { value } },
  });

  async function take(events: AsyncIterable<StorageEvent>, count: number): Promise<string[]> {
    const seen: string[] = [];
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue;
      seen.push(`${event.type} ${event.object.metadata.name} ${event.resourceVersion}`);
      if (seen.length === count) break;
    }
    return seen;
  }

  it("two servers see each other's writes at once, and each other's changes in their watches", async () => {
    const { a, b, close } = await two();
    const stopping = new AbortController();
    const resourceVersion = String(b.currentResourceVersion()); // a watch without a version starts later
    const watch = b.watch("/core/configmaps/", { predicate: all, signal: stopping.signal, resourceVersion });
    const seen = take(watch, 3);
    const created = await a.create(keyOf("x"), configMap("x"));
    expect((await b.get(keyOf("x")))?.metadata).toEqual(created.metadata);
    const updated = await b.guaranteedUpdate(keyOf("x"), {}, set("1"));
    const list = await a.getList("/core/configmaps/", { predicate: all });
    expect(list.items).toEqual([updated]);
    const removed = await a.delete(keyOf("x"));
    expect(await seen).toEqual([
      `ADDED x ${created.metadata.resourceVersion}`,
      `MODIFIED x ${updated.metadata.resourceVersion}`,
      `DELETED x ${removed.metadata.resourceVersion}`,
    ]);
    expect((await b.getList("/core/configmaps/", { predicate: all })).items).toEqual([]);
    await close();
  });

  it("loses none of a hundred concurrent updates", async () => {
    const { a, b, close } = await two();
    await a.create(keyOf("n"), configMap("n", { value: "0" }));
    const increment = (storage: EtcdStorage) =>
      storage.guaranteedUpdate(keyOf("n"), {}, (current) => {
        const next = structuredClone(current) as Unstructured & { data: { value: string } };
        next.data.value = String(Number(next.data.value) + 1);
        return { object: next };
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => increment(index % 2 === 0 ? a : b)));
    expect(await a.get(keyOf("n"))).toMatchObject({ data: { value: "100" } });
    await close();
  });

  it("rejects a second create, a failed precondition and a missing key", async () => {
    const { a, b, close } = await two();
    await a.create(keyOf("x"), configMap("x"));
    await expect(b.create(keyOf("x"), configMap("x"))).rejects.toMatchObject({ reason: "KeyExists" });
    await expect(b.delete(keyOf("x"), { preconditions: { uid: "other" } })).rejects.toMatchObject({
      reason: "InvalidObject",
    });
    await expect(b.delete(keyOf("y"))).rejects.toMatchObject({ reason: "KeyNotFound" });
    await expect(b.guaranteedUpdate(keyOf("y"), {}, set("1"))).rejects.toMatchObject({ reason: "KeyNotFound" });
    await close();
  });

  it("reports an object that etcd rejects", async () => {
    const { a, close } = await two();
    for (const mebibytes of [1.6, 3]) {
      const large = configMap("large", { text: "x".repeat(mebibytes * 1024 * 1024) });
      await expect(a.create(keyOf("large"), large)).rejects.toMatchObject({ reason: "TooLarge" });
    }
    await close();
  });

  it("a write that changes nothing creates no revision", async () => {
    const { a, close } = await two();
    const created = await a.create(keyOf("x"), configMap("x", { value: "1" }));
    const same = await a.guaranteedUpdate(keyOf("x"), {}, set("1"));
    expect(same.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await close();
  });

  it("pages show the first one's state during other writes", async () => {
    const { a, b, close } = await two();
    for (const name of ["a", "b", "c", "d"]) await a.create(keyOf(name), configMap(name));
    const first = await a.getList("/core/configmaps/", { predicate: all, limit: 2 });
    await b.delete(keyOf("c"));
    await b.create(keyOf("e"), configMap("e"));
    const token = first.metadata.continue ?? "";
    const second = await a.getList("/core/configmaps/", { predicate: all, limit: 5, continue: token });
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(["c", "d"]);
    await close();
  });

  it("a new server has the existing objects, and continues the counter", async () => {
    const { a, open, close } = await two();
    const created = await a.create(keyOf("x"), configMap("x"));
    const third = await open();
    expect(third.currentResourceVersion()).toBeGreaterThanOrEqual(Number(created.metadata.resourceVersion));
    expect(await third.get(keyOf("x"))).toEqual(created);
    await third.close();
    await close();
  });

  it("removes objects after their lifetime", { timeout: 20_000 }, async () => {
    const { a, b, close } = await two();
    const stopping = new AbortController();
    const seen = take(b.watch("/core/events/", { predicate: all, signal: stopping.signal }), 2);
    await a.create("/core/events/default/e", configMap("e"), { ttlSeconds: 1 });
    expect((await seen).map((text) => text.split(" ")[0])).toEqual(["ADDED", "DELETED"]);
    await close();
  });

  it("continues after etcd was killed and restarted", { timeout: 20_000 }, async () => {
    const { a, b, close } = await two();
    await a.create(keyOf("x"), configMap("x"));
    const stopping = new AbortController();
    const watch = b.watch("/core/configmaps/", { predicate: all, signal: stopping.signal });
    const events = watch[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: "ADDED" });
    await etcd.kill();
    await etcd.kill(); // the watch has ended, so there is nothing to wait for
    await expect(a.get(keyOf("x"))).rejects.toThrow();
    await etcd.run();
    const written = async (): Promise<void> => {
      for (;;) {
        try {
          await a.guaranteedUpdate(keyOf("x"), {}, set("after"));
          return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100)); // the connection recovers later
        }
      }
    };
    await written();
    expect((await events.next()).value).toMatchObject({ type: "MODIFIED", object: { data: { value: "after" } } });
    await close();
  });

  it("an unreachable etcd aborts the start with its address", async () => {
    const start = EtcdStorage.open({ endpoints: ["http://127.0.0.1:1"], callTimeoutMs: 500 });
    await expect(start).rejects.toThrow("etcd at http://127.0.0.1:1 cannot be used: ");
  });
});
