import { DeletedFinalStateUnknown, type KubeObject, type Stored } from "@kubewright/apimachinery";
import { EventLoopShare } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import type { ResourceEventHandler } from "./event-handler.ts";
import { Listener, type ListenerOptions } from "./shared-processor.ts";

const pod = (name: string): Stored<KubeObject> => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", uid: `uid-${name}`, creationTimestamp: "2026-01-01T00:00:00Z" },
});

function listening(handler: ResourceEventHandler<KubeObject>) {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  let removed = 0;
  const options: Omit<ListenerOptions, "resyncs"> = {
    name: "h",
    clock,
    logger: createLogger({ destination: { write } }),
    share: EventLoopShare.paused(clock),
    onRemove: () => removed++,
  };
  const listener = new Listener<KubeObject>(handler, options as ListenerOptions);
  const add = (name: string, isInInitialList = false) =>
    listener.notify({ type: "added", object: pod(name), isInInitialList });
  return { clock, lines, listener, add, removed: () => removed };
}

it("delivers synchronously and in order while a handler keeps up", () => {
  const received: string[] = [];
  const { listener, add } = listening({
    added: ({ metadata }, isInInitialList) => void received.push(`+ ${metadata.name} ${isInInitialList}`),
    updated: (old, { metadata }) => void received.push(`~ ${old.metadata.name} ${metadata.name}`),
    deleted: ({ metadata }, isFinalStateUnknown) => void received.push(`- ${metadata.name} ${isFinalStateUnknown}`),
  });
  add("a", true);
  listener.notify({ type: "updated", old: pod("a"), object: pod("b") });
  listener.notify({ type: "deleted", object: pod("c") });
  listener.notify({ type: "deleted", object: new DeletedFinalStateUnknown("web/d", pod("d")) });
  expect(received).toEqual(["+ a true", "~ a b", "- c false", "- d true"]);
});

it("waits for the promise that a handler returns before the next call", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const received: string[] = [];
  const { clock, listener, add } = listening({
    added: ({ metadata }) => {
      received.push(metadata.name);
      return gates[received.length - 1]?.promise;
    },
  });
  for (const name of ["a", "b", "c"]) add(name, true);
  listener.sourceSynced();
  await clock.advance(0);
  expect([received, listener.hasSynced]).toEqual([["a"], false]);
  gates[0]?.resolve();
  await clock.advance(0);
  expect([received, listener.hasSynced]).toEqual([["a", "b"], false]);
  gates[1]?.resolve();
  await clock.advance(0);
  expect([received, listener.hasSynced]).toEqual([["a", "b", "c"], true]);
});

it.each<[string, () => void | Promise<void>]>([
  [
    "throws",
    () => {
      throw new Error("oops");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("oops"))],
])("names the object for which a handler %s, and continues after a second", async (_how, fail) => {
  const received: string[] = [];
  const { clock, lines, add } = listening({
    added: ({ metadata }) => {
      received.push(metadata.name);
      return metadata.name === "a" ? fail() : undefined;
    },
  });
  add("a");
  add("b");
  await clock.advance(999);
  expect(received).toEqual(["a"]);
  await clock.advance(1);
  expect(received).toEqual(["a", "b"]);
  expect(lines).toEqual([
    expect.objectContaining({
      level: "error",
      msg: "event handler threw",
      handler: "h",
      notification: "added",
      object: "web/a",
      err: expect.objectContaining({ message: "oops" }),
    }),
  ]);
});

it.each<[string, () => void | Promise<void>]>([
  [
    "throws",
    () => {
      throw new Error("oops");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("oops"))],
])("has not synced if it %s for an object of the initial list, but has if it fails later", async (_how, fail) => {
  for (const failing of ["a", "later"]) {
    const received: string[] = [];
    const { clock, listener, add } = listening({
      added: ({ metadata }) => {
        received.push(metadata.name);
        return metadata.name === failing ? fail() : undefined;
      },
    });
    for (const name of ["a", "b"]) add(name, true);
    add("later");
    listener.sourceSynced();
    await clock.advance(10_000);
    expect(received).toEqual(["a", "b", "later"]);
    expect(listener.hasSynced).toBe(failing === "later");
    const waiting = listener.synced();
    listener.abort();
    expect(await waiting).toBe(failing === "later");
  }
});

it("drops queued notifications when it is closed, and waits for the call in progress", async () => {
  const gate = Promise.withResolvers<void>();
  const received: string[] = [];
  const { clock, listener, add, removed } = listening({
    added: ({ metadata }) => {
      received.push(metadata.name);
      return gate.promise;
    },
  });
  add("a");
  add("b");
  let isRemoved = false;
  const removing = listener.remove().then(() => {
    isRemoved = true;
  });
  await clock.advance(0);
  add("c");
  expect([isRemoved, removed()]).toEqual([false, 1]);
  gate.resolve();
  await removing;
  expect(received).toEqual(["a"]);
});

it("loses none of thousands of queued notifications", async () => {
  const gate = Promise.withResolvers<void>();
  let received = 0;
  const { clock, add } = listening({ added: () => (received++ === 0 ? gate.promise : undefined) });
  for (let i = 0; i < 2_500; i++) add(`p${i}`);
  expect(received).toBe(1);
  gate.resolve();
  await clock.advance(0);
  expect(received).toBe(2_500);
});
