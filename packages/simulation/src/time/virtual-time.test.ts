import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import timers from "node:timers";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Random } from "./random.ts";
import { replaceGlobals } from "./replace-globals.ts";
import { type Actor, currentActor, VirtualTime } from "./virtual-time.ts";

let restore: () => void;
beforeEach(() => {
  restore = replaceGlobals();
});
afterEach(() => restore());

const actorOf = (time: VirtualTime, name = "a"): Actor => ({
  name,
  time,
  random: new Random(name),
  isDead: false,
  skewMs: 0,
  stalledUntilMs: 0,
  onRefused: () => {},
  onOutput: () => {},
});

it("gives an actor virtual timers, clocks and random numbers, and nobody else", async () => {
  const time = new VirtualTime();
  const seen: unknown[] = [];
  const run = (): Promise<void> =>
    currentActor.run(actorOf(time), async () => {
      await new Promise((resolve) => void setTimeout(resolve, 90_000));
      seen.push(new Date().toISOString(), performance.now(), Math.random(), crypto.randomUUID());
    });
  const realMs = Date.now();
  void run();
  void run();
  await time.advance(89_999);
  expect(seen).toEqual([]);
  await time.advance(1);
  expect(seen.slice(0, 2)).toEqual(["2026-01-01T00:01:30.000Z", 90_000]);
  expect(seen.slice(4)).toEqual(seen.slice(0, 4));
  expect(Date.now() - realMs).toBeLessThan(60_000);
});

it("fires the timers of an actor in order, late while it stalls, and never when it is dead", async () => {
  const time = new VirtualTime();
  const [stalled, dead] = [actorOf(time, "stalled"), actorOf(time, "dead")];
  const fired: string[] = [];
  const after = (actor: Actor, ms: number): void => {
    currentActor.run(actor, () => setTimeout(() => fired.push(`${actor.name} ${ms} at ${time.elapsedMs}`), ms));
  };
  for (const ms of [20, 10]) for (const actor of [stalled, dead]) after(actor, ms);
  stalled.stalledUntilMs = 1_000;
  dead.isDead = true;
  await time.advance(999);
  expect(fired).toEqual([]);
  await time.advance(1_000);
  expect(fired).toEqual(["stalled 10 at 1000", "stalled 20 at 1000"]);
});

it("counts the timers that an actor can cancel, and aborts signals after their time", async () => {
  const time = new VirtualTime();
  const actor = actorOf(time);
  const signal = currentActor.run(actor, () => {
    setTimeout(() => {}, 2_000);
    return AbortSignal.timeout(1_000);
  });
  expect(time.countOf(actor)).toBe(1);
  await time.advance(999);
  expect(signal.aborted).toBe(false);
  await time.advance(1);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

it("refuses sockets and addresses that nobody answers", async () => {
  const refused: string[] = [];
  const actor = { ...actorOf(new VirtualTime()), onRefused: (what: string) => void refused.push(what) };
  await currentActor.run(actor, () => expect(fetch("https://example.com/")).rejects.toThrow("fetch failed"));
  expect(refused).toEqual(["GET https://example.com/"]);
});

it.each<[expected: string, attempt: () => unknown]>([
  ["start true", () => childProcess.spawn("true")],
  ["start true", () => childProcess.execFileSync("true")],
  ["start echo 1", () => promisify(childProcess.exec)("echo 1")],
  // As `cluster.fork` does.
  ["start true", () => Object(new childProcess.ChildProcess()).spawn({ file: "true" })],
  ["start a thread with data:text/javascript,", () => new Worker(new URL("data:text/javascript,"))],
  ["look up example.com", () => dnsPromises.lookup("example.com")],
  ["look up example.com", () => dns.resolve4("example.com", () => {})],
  ["use a UDP socket", () => dgram.createSocket("udp4").send("a", 9, "127.0.0.1")],
])("refuses to %s", async (expected, attempt) => {
  const refused: string[] = [];
  const actor = { ...actorOf(new VirtualTime()), onRefused: (what: string) => void refused.push(what) };
  await currentActor.run(actor, () =>
    expect((async () => attempt())()).rejects.toThrow(
      `does not allow the program to open sockets, or to start processes or threads: ${expected}`,
    ),
  );
  expect(refused).toEqual([expected]);
});

it("keeps the functions that promisify returns", async () => {
  const time = new VirtualTime();
  let firedMs: number | undefined;
  const { setTimeout } = timers;
  void currentActor.run(actorOf(time), async () => {
    await promisify(setTimeout)(90_000);
    firedMs = time.elapsedMs;
  });
  await time.advance(100_000);
  expect(firedMs).toBe(90_000);
  expect(await promisify(childProcess.exec)("echo 1")).toMatchObject({ stdout: "1\n" });
});

it("lets an actor whose event loop stalls continue when the stall is over", async () => {
  const time = new VirtualTime();
  const [stalled, other] = [actorOf(time), actorOf(time, "b")];
  const seen: string[] = [];
  stalled.stalledUntilMs = 5_000;
  for (const actor of [stalled, other]) void time.resumed(actor).then(() => seen.push(actor.name));
  await time.advance(4_999);
  expect(seen).toEqual(["b"]);
  await time.advance(1);
  expect(seen).toEqual(["b", "a"]);
  stalled.stalledUntilMs = 60_000;
  void time.resumed(stalled).then(() => seen.push("again"));
  await time.advance(1_000);
  time.resume(stalled);
  await time.advance(0);
  expect(seen).toEqual(["b", "a", "again"]);
});
