import { type Kind, type KubeObject, notFound, unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import type { KindObserver } from "../discovery/kind-monitor.ts";
import type { ControllerParts } from "../parts/controller-parts.ts";
import { addGarbageCollector } from "./garbage-collection.ts";

interface Runnable {
  readonly group: string;
  run(signal: AbortSignal): Promise<void>;
}

function added() {
  const [observers, runnables, reads]: [KindObserver[], Runnable[], string[]] = [[], [], []];
  const synced = Promise.withResolvers<void>();
  const names: string[] = [];
  const parts = {
    manager: {
      add: (runnable: Runnable) => void runnables.push(runnable),
      apiReader: {
        mapper: { mappingFor: async () => ({ scope: "Namespaced" }) },
        get: async (_: Kind, { name }: { name: string }) => {
          reads.push(name);
          throw notFound({ group: "", resource: "things" }, name);
        },
      },
      recorderFor: (name: string) => {
        names.push(name);
        return { event() {} };
      },
      logger: silentLogger,
    },
    monitor: { add: (observer: KindObserver) => void observers.push(observer), synced: synced.promise },
    clock: new FakeClock(),
  };
  addGarbageCollector(parts as unknown as ControllerParts);
  const [[observer], [runnable]] = [observers, runnables];
  if (!observer || !runnable) throw new Error("nothing was added");
  return { observer, runnable, reads, names, synced };
}
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const kindOf = (apiVersion: string, kind: string): Kind => unstructured({ apiVersion, kind });
const owned = (name: string): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Thing" },
  metadata: {
    ...{ name, namespace: "n", uid: `uid-${name}` },
    ownerReferences: [{ apiVersion: "v1", kind: "Thing", name: "owner", uid: "uid-owner" }],
  },
});

it("works once every object was seen, and not on events", async () => {
  const { observer, runnable, reads, names, synced } = added();
  expect([runnable.group, names]).toEqual(["others", ["garbage-collector-controller"]]);
  observer.observe?.(kindOf("v1", "Thing"), owned("a"));
  observer.observe?.(kindOf("v1", "Event"), owned("event"));
  observer.observe?.(kindOf("events.k8s.io/v1", "Event"), owned("newer"));
  observer.observe?.(kindOf("example.com/v1", "Event"), owned("custom"));
  observer.observe?.(kindOf("v1", "Thing"), owned("forgotten"));
  observer.forget?.(kindOf("v1", "Thing"), owned("forgotten"));
  observer.observe?.(kindOf("example.com/v1", "Gone"), owned("gone"));
  observer.kindGone?.(kindOf("example.com/v1", "Gone"));
  const stop = new AbortController();
  const running = runnable.run(stop.signal);
  await settled();
  expect(reads).toEqual([]);
  synced.resolve();
  await settled();
  expect([...new Set(reads)].sort()).toEqual(["a", "custom", "owner"]);
  stop.abort();
  await running;
});

it("ends before every object was seen", async () => {
  const { runnable } = added();
  const stop = new AbortController();
  const running = runnable.run(stop.signal);
  stop.abort();
  await running;
});
