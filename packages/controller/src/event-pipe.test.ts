import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import type { ObjectEvent } from "./event.ts";
import { EventPipe } from "./event-pipe.ts";
import { type EventHandler, enqueueRequestForObject, enqueueRequestsFromMapFunc } from "./handlers.ts";
import type { Predicate } from "./predicates.ts";
import type { Cause } from "./request.ts";
import type { AddOptions } from "./request-queue.ts";
import { fakeClient } from "./testing/fake-client.ts";
import { loggedLines } from "./testing/logged-lines.ts";

const pod = (name: string, resourceVersion = "1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", resourceVersion },
});
const created = (name: string): ObjectEvent => ({ type: "create", object: pod(name) });
const updated = (name: string): ObjectEvent => ({ type: "update", old: pod(name), object: pod(name, "2") });

function pipe(handler: EventHandler, ...predicates: Predicate[]) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const added: string[] = [];
  const { log, lines } = loggedLines();
  const causes: (Cause | undefined)[] = [];
  const queue = {
    add: (request: string, { cause }: AddOptions = {}) => {
      added.push(request);
      causes.push(cause);
    },
  };
  const context = { queue, client: fakeClient(), log, clock, synced: () => {} };
  const events = new EventPipe("Pod", { handler, predicates }, context, stop.signal);
  return { clock, stop, added, causes, lines, pipe: events };
}

const forever = new Promise<void>(() => {});

describe("EventPipe", () => {
  it("delivers later events at once if a handler throws, and warns once per object, by name", async () => {
    const mapTeams = ({ metadata }: { metadata: { name: string } }) => {
      if (metadata.name.startsWith("bad")) throw new TypeError("spec is undefined");
      return [`ns/${metadata.name}`];
    };
    const { pipe: events, added, lines, clock, stop } = pipe(enqueueRequestsFromMapFunc(mapTeams));
    for (let i = 0; i < 50; i++) expect(events.push(created(`bad-${i}`))).toBeUndefined();
    events.push(created("good"));
    expect(added).toEqual(["ns/good"]);
    expect(lines).toHaveLength(50);
    expect(lines[7]).toMatchObject({
      level: "warn",
      kind: "Pod",
      object: "ns/bad-7",
      by: "handler enqueueRequestsFromMapFunc(mapTeams)",
      err: { type: "TypeError", message: "spec is undefined" },
    });
    await clock.advance(3_100);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(50);
    expect(lines.filter(({ level }) => level === "error").map(({ object }) => object)).toHaveLength(50);
    expect(clock.waiting).toBe(0);
    stop.abort();
  });

  it("retries after 100, 200, 400 ms and so on, six tries in total", async () => {
    const at: number[] = [];
    const { pipe: events, clock } = pipe(async () => {
      at.push(clock.monotonic());
      throw new Error("no");
    });
    await events.push(created("a"));
    await clock.advance(60_000);
    expect(at).toEqual([0, 100, 300, 700, 1_500, 3_100]);
  });

  it("warns once of an event without an object, and does not call the handler", async () => {
    const none = undefined as never;
    const nobody = () => expect.unreachable();
    const { pipe: events, lines, clock } = pipe(nobody, nobody);
    for (const type of ["create", "delete", "generic"] as const) await events.push({ type, object: none });
    await events.push({ type: "update", object: none, old: null as never });
    await clock.advance(60_000);
    expect(lines.map(({ level, event, msg }) => [level, event, msg])).toEqual(
      ["create", "delete", "generic", "update"].map((type) => [
        "warn",
        type,
        "ignored an event without an object; its source must include an object in every event",
      ]),
    );
  });

  it("evaluates predicates again as well", async () => {
    let calls = 0;
    const flaky: Predicate = () => {
      if (calls++ === 0) throw new Error("not yet");
      return false;
    };
    const { pipe: events, added, lines, clock } = pipe(enqueueRequestForObject(), flaky);
    events.push(created("a"));
    await clock.advance(10_000);
    expect([calls, added]).toEqual([2, []]);
    expect(lines.map(({ by }) => by)).toEqual(["predicate flaky"]);
  });

  it("retries an older event of an object before a newer one is delivered", async () => {
    const seen: string[] = [];
    let works = false;
    const { pipe: events, clock } = pipe(({ type, object }, enqueue) => {
      if (!works) throw new Error("not yet");
      seen.push(`${type} ${object.metadata.name}`);
      enqueue("x");
    });
    events.push(created("a"));
    events.push(created("b"));
    works = true;
    events.push(updated("a"));
    expect(seen).toEqual(["create a", "update a"]);
    await clock.advance(100);
    expect(seen).toEqual(["create a", "update a", "create b"]);
    await clock.advance(10_000);
    expect(seen).toHaveLength(3);
  });

  it("drops an older event that fails again before a newer one of its object, and keeps the newer one", async () => {
    const seen: string[] = [];
    const {
      pipe: events,
      lines,
      clock,
    } = pipe(async ({ type }) => {
      if (type === "create") throw new Error("no");
      seen.push(type);
    });
    await events.push(created("a"));
    await events.push(updated("a"));
    expect(seen).toEqual(["update"]);
    expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual(["warn create", "error create"]);
    await clock.advance(10_000);
    expect(lines).toHaveLength(2);
  });

  it("waits only once for an older event whose second try does not end", async () => {
    const seen: string[] = [];
    let calls = 0;
    const {
      pipe: events,
      clock,
      stop,
    } = pipe(({ type }) => {
      if (type === "update") return void seen.push(type);
      if (calls++ === 0) throw new Error("no");
      return forever;
    });
    events.push(created("a"));
    await clock.advance(100);
    void events.push(updated("a"));
    await clock.advance(1_000);
    expect(seen).toEqual(["update"]);
    expect(events.push(updated("a"))).toBeUndefined();
    expect(seen).toHaveLength(2);
    stop.abort();
    expect(clock.waiting).toBe(0);
  });

  it("loses no failed event when an older one of the same object fails later", async () => {
    const seen: string[] = [];
    const slow = Promise.withResolvers<void>();
    const failOnce = new Set(["create", "update"]);
    const {
      pipe: events,
      clock,
      stop,
    } = pipe(async ({ type }) => {
      if (type === "create" && failOnce.has(type)) await slow.promise;
      if (failOnce.delete(type)) throw new Error("no");
      seen.push(type);
    });
    void events.push(created("a"));
    void events.push(updated("a"));
    await clock.advance(1_000);
    slow.resolve();
    await clock.advance(0);
    stop.signal.throwIfAborted();
    await clock.advance(200);
    expect(seen.sort()).toEqual(["create", "update"]);
    stop.abort();
    expect(clock.waiting).toBe(0);
  });

  it("waits a second for a handler that does not end, then continues, and warns of it by name after ten", async () => {
    const seen: string[] = [];
    async function slowly({ object }: ObjectEvent): Promise<void> {
      seen.push(object.metadata.name);
      if (object.metadata.name === "a") await forever;
    }
    const { pipe: events, lines, clock, stop } = pipe(slowly);
    void events.push(created("a"));
    void events.push(created("b"));
    await clock.advance(999);
    expect(seen).toEqual(["a"]);
    await clock.advance(1);
    expect(seen).toEqual(["a", "b"]);
    await clock.advance(9_999);
    expect(lines).toEqual([]);
    await clock.advance(1);
    expect(lines).toMatchObject([{ level: "warn", kind: "Pod", object: "ns/a", by: "handler slowly" }]);
    stop.abort();
  });

  it("does not warn of a handler that ends within ten seconds after all", async () => {
    const { pipe: events, lines, clock, stop } = pipe(() => clock.sleep(9_000));
    void events.push(created("a"));
    await clock.advance(60_000);
    expect([lines, clock.waiting]).toEqual([[], 0]);
    void events.push(created("b"));
    await clock.advance(5_000);
    stop.abort();
    await clock.advance(60_000);
    expect(lines).toEqual([]);
  });

  it("is settled within seconds regardless of how many handlers never end", async () => {
    const { pipe: events, clock, stop } = pipe(() => forever);
    for (let i = 0; i < 500; i++) void events.push(created(`stuck-${i}`));
    let isSettled = false;
    void events.settled().then(() => {
      isSettled = true;
    });
    await clock.advance(17_000);
    expect(isSettled).toBe(true);
    stop.abort();
    expect(clock.waiting).toBe(0);
  });

  it("is not settled before slow handlers that do end have ended", async () => {
    const gate = Promise.withResolvers<void>();
    const { pipe: events, clock } = pipe(() => gate.promise);
    let isSettled = false;
    void events.push(created("a"));
    void events.settled().then(() => {
      isSettled = true;
    });
    await clock.advance(5_000);
    expect(isSettled).toBe(false);
    gate.resolve();
    await clock.advance(0);
    expect(isSettled).toBe(true);
  });

  it.each([
    ["no metadata", { apiVersion: "v1", kind: "Pod" }],
    ["nothing", undefined],
    ["null metadata", { apiVersion: "v1", kind: "Pod", metadata: null }],
  ])("handles an object with %s", async (_what, object) => {
    const { pipe: events, added, lines, clock } = pipe(enqueueRequestForObject());
    const event = { type: "generic", object: object as unknown as KubeObject } as const;
    events.push(event);
    events.push(created("good"));
    expect(added).toEqual(["ns/good"]);
    expect(lines).toMatchObject([{ level: "warn", kind: "Pod", object: "(no name)", by: "handler forObject" }]);
    await clock.advance(10_000);
  });

  it("delivers an object without a name to a handler that does not need one", () => {
    const { pipe: events, added } = pipe((_event, enqueue) => enqueue("all"));
    events.push({ type: "generic", object: { apiVersion: "v1", kind: "Pod" } as KubeObject });
    expect(added).toEqual(["all"]);
  });

  it("ignores the value that a handler returns", async () => {
    const values: unknown[] = [true, 1, "done", {}, []];
    const { pipe: events, lines } = pipe((() => values.shift()) as EventHandler);
    for (let i = 0; i < 5; i++) expect(events.push(created("a"))).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("waits for a promise of another implementation", async () => {
    // biome-ignore lint/suspicious/noThenProperty: simulates a promise of another implementation
    const thenable = { then: (_done: unknown, fail: (error: Error) => void) => fail(new Error("no")) };
    const { pipe: events, lines } = pipe((() => thenable) as unknown as EventHandler);
    await events.push(created("a"));
    expect(lines).toMatchObject([{ level: "warn", object: "ns/a" }]);
  });

  it("calls no handler after it is stopped", async () => {
    let calls = 0;
    const {
      pipe: events,
      clock,
      stop,
      lines,
    } = pipe(() => {
      calls++;
      throw new Error("no");
    });
    events.push(created("a"));
    stop.abort();
    events.push(created("b"));
    await clock.advance(10_000);
    expect([calls, lines.length, clock.waiting]).toEqual([1, 1, 0]);
  });
});

/** A pipe whose handler does what `outcome` does; each try is recorded with its time. */
function retrying(outcome: () => void | Promise<void>) {
  const tries: string[] = [];
  const started = pipe(({ object: { kind, metadata } }) => {
    tries.push(`${kind} ${metadata.name}@${metadata.resourceVersion} ${started.clock.monotonic()}`);
    return outcome();
  });
  const dropped = () => started.lines.filter(({ level }) => level === "error").map(({ object }) => object);
  const push = (name: string, resourceVersion = "1", kind = "Pod") =>
    started.pipe.push({ type: "create", object: { ...pod(name, resourceVersion), kind } });
  return { ...started, push, tries, dropped };
}

const fail = (): never => {
  throw new Error("no");
};

describe("the retries of a failed event", () => {
  it("are five, and then it is dropped", async () => {
    const { clock, push, tries, dropped } = retrying(fail);
    push("a");
    await clock.advance(3_099);
    expect(dropped()).toEqual([]);
    await clock.advance(1);
    expect(tries).toEqual([0, 100, 300, 700, 1_500, 3_100].map((ms) => `Pod a@1 ${ms}`));
    expect([dropped(), clock.waiting]).toEqual([["ns/a"], 0]);
  });

  it.each([false, true])("end after a success, by a promise: %s", async (isAsync) => {
    const { clock, push, tries, dropped } = retrying(() => {
      if (tries.length < 3) fail();
      return isAsync ? Promise.resolve() : undefined;
    });
    push("a");
    await clock.advance(60_000);
    expect(tries).toEqual(["Pod a@1 0", "Pod a@1 100", "Pod a@1 300"]);
    expect([dropped(), clock.waiting]).toEqual([[], 0]);
  });

  it("end with one try before a newer event of the same object", async () => {
    const { stop, push, tries, dropped } = retrying(fail);
    push("a");
    push("b", "2");
    push("a", "2", "Secret");
    expect(tries).toEqual(["Pod a@1 0", "Pod b@2 0", "Secret a@2 0"]);
    push("a", "2");
    expect(tries.slice(3)).toEqual(["Pod a@1 0", "Pod a@2 0"]);
    expect(dropped()).toEqual(["ns/a"]);
    stop.abort();
  });

  it("let a newer event wait for a try in progress, without starting another", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, push, tries, dropped } = retrying(() => (tries.length === 2 ? gate.promise : fail()));
    push("a");
    await clock.advance(100);
    const newer = push("a", "2");
    expect(newer).toBeInstanceOf(Promise);
    expect(tries).toEqual(["Pod a@1 0", "Pod a@1 100"]);
    gate.reject(new Error("no"));
    await newer;
    expect(dropped()).toEqual(["ns/a"]);
    expect(tries.slice(2)).toEqual(["Pod a@2 100"]);
  });

  it("are kept for several events of one object, and for objects without a name", async () => {
    const slow = Promise.withResolvers<void>();
    const {
      clock,
      pipe: events,
      push,
      tries,
    } = retrying(() => {
      if (tries.length === 1) return slow.promise;
      return tries.length <= 3 ? fail() : undefined;
    });
    void push("a", "1");
    await clock.advance(1_000);
    push("a", "2");
    slow.reject(new Error("no"));
    await clock.advance(0);
    events.push({ type: "create", object: { apiVersion: "v1", kind: "Pod", metadata: {} } as unknown as KubeObject });
    expect(tries).toEqual(["Pod a@1 0", "Pod a@2 1000", "Pod undefined@undefined 1000"]);
    await clock.advance(100);
    expect(tries.slice(3)).toEqual(["Pod a@2 1100", "Pod a@1 1100", "Pod undefined@undefined 1100"]);
    expect(clock.waiting).toBe(0);
  });

  it("end when the pipe is stopped, including tries in progress", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, stop, push, tries, dropped } = retrying(() => (tries.length === 2 ? gate.promise : fail()));
    push("a");
    await clock.advance(100);
    push("b");
    stop.abort();
    expect(clock.waiting).toBe(0);
    gate.reject(new Error("no"));
    push("c");
    await clock.advance(60_000);
    expect([tries, dropped()]).toEqual([["Pod a@1 0", "Pod a@1 100", "Pod b@1 100"], []]);
  });
});

describe("the names of an event's object", () => {
  it.each<[unknown, string, string]>([
    [{ kind: "Pod", metadata: { name: "a", namespace: "b" } }, "Pod", "b/a"],
    [{ kind: "Node", metadata: { name: "a" } }, "Node", "a"],
    [{ kind: "Node", metadata: { name: "a", namespace: "" } }, "Node", "a"],
    [{ kind: "", metadata: { name: "", namespace: "b" } }, "source", "(no name)"],
    [{ kind: 5, metadata: { name: 5, namespace: 5 } }, "source", "(no name)"],
    [{ metadata: null }, "source", "(no name)"],
    [{}, "source", "(no name)"],
    [null, "source", "(no name)"],
    [undefined, "source", "(no name)"],
  ])("of %j are %s and %s in log lines", async (object, kind, name) => {
    const { pipe: events, lines, stop } = pipe(fail);
    events.push({ type: "create", object } as ObjectEvent);
    expect(lines).toMatchObject([{ kind: kind === "source" ? "Pod" : kind, object: name }]);
    stop.abort();
  });

  it("include the version in causes, if there is one", () => {
    const { pipe: events, causes } = pipe((_event, enqueue) => enqueue("all"));
    const versions = [{ metadata: { resourceVersion: "7" } }, { metadata: { resourceVersion: "" } }, { metadata: 5 }];
    for (const object of versions) events.push({ type: "generic", object } as unknown as ObjectEvent);
    expect(causes.map((cause) => cause?.resourceVersion)).toEqual(["7", undefined, undefined]);
  });
});
