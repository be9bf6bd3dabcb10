import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ByteLimiter } from "./byte-limiter.ts";
import { DeadlineError } from "./deadline.ts";
import { failedCall } from "./failed-call.ts";
import { BodyError, readJsonBody } from "./read-body.ts";

const mib = 1024 * 1024;

function start() {
  const clock = new FakeClock();
  const limiter = new ByteLimiter(16 * mib, clock);
  /** Reads a call whose body has this many bytes and ends when `end` resolves. */
  const read = (peer: string, body: number | string, end: Promise<void> = Promise.resolve()) => {
    const lease = limiter.lease(peer);
    const call = {
      path: "/x",
      query: new URLSearchParams(),
      headers: { "content-type": "application/json" },
      signal: new AbortController().signal,
      body: (async function* () {
        yield typeof body === "string" ? Buffer.from(body) : Buffer.alloc(body, " ");
        await end;
      })(),
    };
    const text = readJsonBody(call, { maxBytes: 16 * mib, lease, clock });
    return { lease, code: text.then(() => 200).catch((error: unknown) => error instanceof BodyError && error.code) };
  };
  return { clock, limiter, read };
}

const never = new Promise<void>(() => {});

it("gives up a body whose place another peer needs, but never a complete one", async () => {
  const { clock, read } = start();
  const complete = read("attacker", 7 * mib);
  expect(await complete.code).toBe(200);
  const arriving = read("attacker", 6 * mib, never);
  await clock.advance(0);
  const other = read("api", 2 * mib);
  expect([await other.code, await arriving.code]).toEqual([200, 429]);
  expect(complete.lease.lost.aborted).toBe(false);
  expect(clock.waiting).toBe(0);
});

it("counts the memory of values, which is more than that of their text", async () => {
  const { limiter, read } = start();
  const lists = (count: number): string => `[${"[],".repeat(count)}0]`;
  const dense = read("api", lists(200_000));
  expect([await dense.code, limiter.used]).toEqual([200, 400_001 * 32 + 16 * 1024]);
  const next = read("api", lists(100_000));
  expect(await next.code).toBe(429);
  for (const { lease } of [dense, next]) lease.release();
  const usual = read("api", JSON.stringify(Array(10_000).fill({ name: "x".repeat(80) })));
  expect([await usual.code, limiter.used]).toEqual([200, usual.lease.held]);
  expect(usual.lease.held).toBeLessThan(1_000_000);
});

it("refuses a body with too many values, before it is parsed", async () => {
  const { read } = start();
  const refused = read("api", `[${"1,".repeat(1_500_000)}0]`);
  expect([await refused.code, refused.lease.held < 8 * mib]).toEqual([413, true]);
});

it.each([
  [255, 1_001, 400],
  [256, 1_001, 200],
  [1, 1_000, 200],
])("reads chunks of %i bytes if there are %i of them: %i", async (bytes, count, expected) => {
  const clock = new FakeClock();
  const lease = new ByteLimiter(mib, clock).lease("api");
  let left = count;
  const body = (async function* () {
    for (; left > 0; left--) yield Buffer.alloc(bytes, " ");
  })();
  const call = { path: "/x", query: new URLSearchParams(), headers: { "content-type": "application/json" }, body };
  const read = readJsonBody({ ...call, signal: new AbortController().signal }, { maxBytes: mib, lease, clock });
  expect(await read.then(() => 200).catch((error: unknown) => error instanceof BodyError && error.code)).toBe(expected);
});

it("answers calls that are not served with an HTTP status, and leaves other errors to reviews", () => {
  const answers = [429, 408, 413, 400].map((code) => failedCall(new BodyError(code as 429, "why", { isUnread: true })));
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "why" };
  expect(answers.map((answer) => answer && { ...answer, body: JSON.parse(answer.body) })).toEqual([
    { status: 429, closes: true, retryAfterSeconds: 1, body: { ...status, reason: "TooManyRequests", code: 429 } },
    { status: 408, closes: true, body: { ...status, reason: "Timeout", code: 408 } },
    undefined,
    undefined,
  ]);
  expect(failedCall(new DeadlineError("late"))).toMatchObject({ status: 504, closes: false });
  expect(failedCall(new Error("other"))).toBeUndefined();
});
