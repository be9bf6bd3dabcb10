import { FakeClock } from "@kubewright/clock/testing";
import type { Storage, StoredObject } from "@kubewright/storage";
import { expect, it, onTestFinished } from "vitest";
import { labelled } from "./testing/attributes.ts";
import { WatchedObjects } from "./watched-objects.ts";

type Event = { readonly type: string; readonly object?: object; readonly initialEventsEnd?: boolean };

const added = (name: string, namespace?: string): Event => ({
  type: "ADDED",
  object: labelled({}, { name, ...(namespace ? { namespace } : {}) }),
});
const deleted = (name: string): Event => ({ ...added(name), type: "DELETED" });
const synced: Event = { type: "BOOKMARK", initialEventsEnd: true };
const bookmark: Event = { type: "BOOKMARK" };

/** Follows watches that send these events and then end; the last one stays open until the test ends. */
function follow(...watches: readonly (readonly Event[])[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  const log: string[] = [];
  let opened = 0;
  const storage = {
    async *watch(prefix: string, { signal }: { readonly signal: AbortSignal }) {
      const events = watches[opened++];
      log.push(`watch ${prefix}`);
      if (!events) throw new Error("away");
      yield* events;
      if (opened === watches.length) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as Storage;
  const read = ({ metadata }: StoredObject): string => `${metadata.namespace ?? ""}/${metadata.name}`;
  const watched: WatchedObjects<string> = new WatchedObjects(storage, "/policies/", read, clock, () =>
    log.push(`changed ${watched.generation}`),
  );
  const running = watched.run(end.signal, () => log.push(`synced ${watched.all.join()}`));
  onTestFinished(async () => {
    end.abort();
    await clock.advance(1_000);
    await running;
  });
  return { watched, clock, log, settle: () => new Promise((resolve) => setImmediate(resolve)), end, running };
}

it("returns the objects by namespace and name", async () => {
  const { watched, log, settle } = follow([
    added("b", "y"),
    added("a"),
    bookmark,
    added("a", "x"),
    synced,
    deleted("a"),
    added("c"),
  ]);
  await settle();
  expect(watched.all).toEqual(["/c", "x/a", "y/b"]);
  expect(watched.all).toBe(watched.all);
  expect(log).toEqual([
    "watch /policies/",
    ...["changed 1", "changed 2", "changed 3"],
    "synced /a,x/a,y/b",
    ...["changed 4", "changed 5"],
  ]);
});

it("restarts after a pause, and forgets deleted objects once everything is known", async () => {
  const { watched, clock, log, settle } = follow([added("a"), added("b"), synced], [added("b"), synced, synced]);
  await settle();
  expect(watched.all).toEqual(["/a", "/b"]);
  await clock.advance(99);
  expect(log.filter((line) => line.startsWith("watch"))).toHaveLength(1);
  await clock.advance(1);
  await settle();
  expect(watched.all).toEqual(["/b"]);
  expect(log.filter((line) => line.startsWith("synced"))).toEqual(["synced /a,/b", "synced /b"]);
});

it("keeps its objects if the new watch ends before the initial state is complete", async () => {
  const { watched, clock, settle } = follow([added("a"), added("b"), synced], [added("b")], [added("c"), synced]);
  await settle();
  await clock.advance(100);
  await settle();
  expect(watched.all).toEqual(["/a", "/b"]);
  await clock.advance(100);
  await settle();
  expect(watched.all).toEqual(["/c"]);
});

it("ends with its signal", async () => {
  const { end, clock, running, settle, log } = follow([synced]);
  await settle();
  end.abort();
  await clock.advance(100);
  await running;
  expect(log.filter((line) => line.startsWith("watch"))).toHaveLength(1);
});
