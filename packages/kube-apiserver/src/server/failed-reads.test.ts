import { CrdController } from "@kubewright/apiextensions";
import { WatchedObjects } from "@kubewright/apiserver/admission";
import type { ServingContext } from "@kubewright/apiserver/server";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { StorageListOptions, StorageWatchOptions } from "@kubewright/storage";
import { MemoryStorage } from "@kubewright/storage";
import { expect, it } from "vitest";
import { PolicyStatusController } from "../post-start/policy-status-controller.ts";

/** A store that cannot be read a few times. */
class FailingStorage extends MemoryStorage {
  left = 3;

  override async getList(prefix: string, options: StorageListOptions) {
    this.#fail();
    return super.getList(prefix, options);
  }

  override watch(prefix: string, options: StorageWatchOptions) {
    this.#fail();
    return super.watch(prefix, options);
  }

  #fail(): void {
    if (--this.left >= 0) throw new Error("no connection");
  }
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

it("what follows objects goes on after reads that failed", async () => {
  const storage = new FailingStorage();
  await storage.create("/core/configmaps/default/a", structuredClone(configMap));
  const followed = new WatchedObjects(storage, "/core/configmaps/", (object) => object, systemClock);
  const stopping = new AbortController();
  const running = followed.run(stopping.signal);
  await expect.poll(() => followed.all.length, { timeout: 10_000 }).toBe(1);
  storage.left = 1_000;
  storage.watch = () => {
    stopping.abort();
    throw new Error("no connection");
  };
  stopping.abort();
  await running;
});

it("controllers of the server go on after reads that failed, and end without an error", async () => {
  const storage = new FailingStorage();
  const context = { storage, clock: systemClock } as unknown as ServingContext; // nothing else is asked of it without definitions
  const server = undefined as unknown as ConstructorParameters<typeof CrdController>[1];
  const stopping = new AbortController();
  const definitions = new CrdController(context, server, undefined as never, silentLogger);
  const running = [definitions.run(stopping.signal)];
  await definitions.synced;
  storage.left = 3;
  running.push(new PolicyStatusController(context, server, silentLogger).run(stopping.signal));
  await expect.poll(() => storage.left, { timeout: 10_000 }).toBeLessThan(0);
  storage.left = 1_000;
  stopping.abort();
  await Promise.all(running);
});

it("a watch that cannot begin fails, and nothing else does", async () => {
  const storage = new MemoryStorage();
  await storage.create("/core/configmaps/default/a", structuredClone(configMap));
  const predicate = {
    isEmpty: false,
    matches: () => {
      throw new Error("no such field");
    },
  };
  const stopping = new AbortController();
  const ahead = { predicate, sendInitialEvents: true, resourceVersion: "3", signal: stopping.signal };
  const events = storage.watch("/core/configmaps/", ahead)[Symbol.asyncIterator]();
  const first = events.next();
  await storage.create("/core/secrets/default/a", structuredClone(configMap));
  await expect(first).rejects.toThrow("no such field");
});
