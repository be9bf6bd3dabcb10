import { expect, it } from "vitest";
import { UntilError, until } from "./until.ts";

/** Events that ignore their signal: some, then silence. */
async function* thenSilent(...events: number[]): AsyncGenerator<number, void, undefined> {
  yield* events;
  await new Promise(() => {});
}

it("ends when its signal aborts, whether or not the events do", async () => {
  const stop = new AbortController();
  const waiting = until(thenSilent(1, 2), [(event) => event === 3], stop.signal).catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const error = await waiting;
  expect(error).toBeInstanceOf(UntilError);
  expect(error).toMatchObject({ reason: "timeout", lastEvent: 2 });
  await expect(until(thenSilent(), [() => true], stop.signal)).rejects.toMatchObject({ reason: "timeout" });
});

it("closes the events, and waits for that unless they are silent", async () => {
  const closed: string[] = [];
  async function* closing(): AsyncGenerator<number, void, undefined> {
    try {
      for (let event = 0; ; event++) yield event;
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      closed.push("closed");
    }
  }
  expect(await until(closing(), [(event) => event === 2], new AbortController().signal)).toBe(2);
  expect(closed).toEqual(["closed"]);
});

it("rethrows an error of the events", async () => {
  async function* failing(): AsyncGenerator<number, void, undefined> {
    yield 1;
    throw new Error("the watch broke");
  }
  await expect(until(failing(), [() => false], new AbortController().signal)).rejects.toThrow("the watch broke");
});

it("reports that the events ended, unless its own signal aborted", async () => {
  const stop = new AbortController();
  async function* ending(...events: number[]): AsyncGenerator<number, void, undefined> {
    yield* events;
  }
  const never = [(): boolean => false];
  const closed = { reason: "closed", lastEvent: 2 };
  await expect(until(ending(1, 2), never, stop.signal)).rejects.toMatchObject(closed);
  await expect(until(ending(1, 2), never)).rejects.toMatchObject(closed);
  const stopped = until(ending(1, 2), [(event) => event === 2 && void stop.abort() === null], stop.signal);
  await expect(stopped).rejects.toMatchObject({ reason: "timeout", lastEvent: 2 });
});

it("may meet several conditions with one event, in their order", async () => {
  async function* counting(): AsyncGenerator<number, void, undefined> {
    for (let event = 1; ; event++) yield event;
  }
  const above = (limit: number) => (event: number) => event > limit;
  expect(await until(counting(), [above(3), above(1), above(2)])).toBe(4);
  expect(await until(counting(), [above(1), above(3)])).toBe(4);
  expect(await until(counting(), [])).toBeUndefined();
});
