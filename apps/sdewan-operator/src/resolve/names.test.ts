import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { NameError } from "./name-error.ts";
import { Names } from "./names.ts";

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const failure = (promise: Promise<unknown>): Promise<NameError> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => {
      if (error instanceof NameError) return error;
      throw error;
    },
  );

it("returns IPv4 addresses only, in numeric order, each once", async () => {
  const names = new Names({ resolve: async () => ["10.0.0.10", "::1", "10.0.0.9", "9.255.0.1", "10.0.0.10"] });
  expect(await names.addressesOf("a.example")).toEqual(["9.255.0.1", "10.0.0.9", "10.0.0.10"]);
});

it.each([
  ["ENOTFOUND", true],
  ["ENODATA", true],
  ["EAI_AGAIN", false],
  ["ESERVFAIL", false],
  ["ETIMEOUT", false],
])("distinguishes a missing name from one that cannot be resolved at the moment: %s", async (code, doesNotExist) => {
  const names = new Names({ resolve: () => Promise.reject(withCode(code)) });
  expect((await failure(names.addressesOf("a.example"))).doesNotExist).toBe(doesNotExist);
});

it("treats a name without IPv4 address as missing", async () => {
  const names = new Names({ resolve: async () => ["2001:db8::1"] });
  const error = await failure(names.addressesOf("six.example"));
  expect([error.doesNotExist, error.message]).toEqual([true, "six.example has no IPv4 address"]);
});

it("waits at most 5 s for a response", async () => {
  const clock = new FakeClock();
  const names = new Names({ resolve: () => new Promise(() => {}), clock });
  let error: NameError | undefined;
  const requests = failure(names.addressesOf("slow.example")).then((reason) => {
    error = reason;
  });
  await clock.advance(4_999);
  expect(error).toBeUndefined();
  await clock.advance(1);
  await requests;
  expect([error?.doesNotExist, error?.message]).toEqual([false, expect.stringContaining("no response within 5000 ms")]);
});

it("looks a name up once for concurrent callers, and limits the number of concurrent lookups", async () => {
  const clock = new FakeClock();
  const running: (() => void)[] = [];
  const requests: string[] = [];
  const names = new Names({
    concurrency: 2,
    clock,
    resolve: (name) => {
      requests.push(name);
      return new Promise((resolve) => running.push(() => resolve(["10.0.0.1"])));
    },
  });
  const responses = ["a", "A", "b", "c", "d"].map((name) => names.addressesOf(name).catch(() => "late"));
  await clock.advance(0);
  expect(requests).toEqual(["a", "b"]);
  // They hang, so the others never get a slot. No lookup starts after its callers stopped waiting.
  await clock.advance(5_000);
  expect(await Promise.all(responses)).toEqual(Array(5).fill("late"));
  for (const end of running) end();
  await clock.advance(0);
  expect(requests).toEqual(["a", "b"]);
  const again = names.addressesOf("c");
  await clock.advance(0);
  running.at(-1)?.();
  expect(await again).toEqual(["10.0.0.1"]);
});

it("frees the places of lookups that never end", async () => {
  const clock = new FakeClock();
  let hangs = true;
  const resolve = (): Promise<string[]> => (hangs ? new Promise(() => {}) : Promise.resolve(["10.0.0.1"]));
  const names = new Names({ clock, resolve, concurrency: 2 });
  for (const name of ["a", "b", "c"]) names.addressesOf(name).catch(() => undefined);
  await clock.advance(5_000);
  hangs = false;
  const early = names.addressesOf("d").catch(() => "late");
  await clock.advance(54_999);
  expect(await early).toBe("late");
  const waiting = names.addressesOf("e");
  await clock.advance(1);
  expect(await waiting).toEqual(["10.0.0.1"]);
});

it("looks up names of one namespace while those of another get no response", async () => {
  const clock = new FakeClock();
  const resolve = (name: string): Promise<string[]> =>
    name.endsWith("hangs.example") ? new Promise(() => {}) : Promise.resolve(["10.0.0.1"]);
  const names = new Names({ clock, resolve });
  for (let index = 0; index < 1_000; index++)
    names.addressesOf(`${index}.hangs.example`, "hostile").catch(() => undefined);
  for (let round = 0; round < 3; round++) {
    await clock.advance(15_000);
    expect(await names.addressesOf("fine.example", "good")).toEqual(["10.0.0.1"]);
  }
  const own = failure(names.addressesOf("fine.example", "hostile"));
  await clock.advance(5_000);
  expect((await own).message).toContain("no response within 5000 ms");
});

it.each(["", "a b", "-x", "a/../b", "a\nb", "x".repeat(254)])("does not look up an invalid name: %j", async (name) => {
  const requests: string[] = [];
  const names = new Names({
    resolve: async (each) => {
      requests.push(each);
      return [];
    },
  });
  expect((await failure(names.addressesOf(name))).message).toContain("is not a DNS name");
  expect(requests).toEqual([]);
});

it("rejects a name with implausibly many addresses", async () => {
  const many = Array.from({ length: 65 }, (_, index) => `10.0.0.${index}`);
  const names = new Names({ resolve: async () => many });
  const error = await failure(names.addressesOf("many.example"));
  expect([error.doesNotExist, error.message]).toEqual([false, "many.example has 65 addresses; the maximum is 64"]);
  expect(await new Names({ resolve: async () => many.slice(1) }).addressesOf("many.example")).toHaveLength(64);
});

it("uses the system's resolver by default", async () => {
  expect(await new Names().addressesOf("127.0.0.1")).toEqual(["127.0.0.1"]);
});
