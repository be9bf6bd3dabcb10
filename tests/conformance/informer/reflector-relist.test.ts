import {
  expired,
  internalError,
  isInternalError,
  StatusError,
  timeout,
  tooManyRequests,
} from "@kubewright/apimachinery";
import {
  Indexer,
  ListPager,
  type ListRequest,
  Reflector,
  type ReflectorOptions,
  RetryDeadline,
} from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";
import { connectionRefused, failing, page, ScriptedSource, throwing } from "./scripted-source.ts";

const endingAfterEvent =
  (version: number) =>
  (channel: ScriptedSource["channels"][number]): void => {
    channel.push({ type: "ADDED", object: pod("a", version) });
    channel.fail(expired("too old resource version"));
  };

/** Runs a reflector on a source for some time. */
async function reflected(source: ScriptedSource, ms: number, options: ReflectorOptions = {}) {
  const clock = new FakeClock();
  const store = new Indexer<Pod>();
  const reflector = new Reflector(source, store, { clock, ...options });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(ms);
  stop.abort();
  await running;
  return { store, reflector };
}

const tooLarge = (how: "reason" | "cause" | "message"): StatusError => {
  const { status } = timeout(how === "message" ? "Too large resource version: 20, current: 10" : "try later", 1);
  const causes =
    how === "reason"
      ? [{ reason: "ResourceVersionTooLarge", message: "whatever" }]
      : how === "cause"
        ? [{ message: "Too large resource version" }]
        : [];
  return new StatusError({ ...status, details: { ...status.details, causes } });
};

describe("reflector: relist, expired and too-large versions", () => {
  it("INF-071 relists at the last seen version", async () => {
    const source = new ScriptedSource({
      lists: [() => page<Pod>([], "10"), () => page<Pod>([], "10")],
      watches: [failing(expired("gone")), () => {}],
    });
    await reflected(source, 5_000);
    expect(source.listVersions).toEqual(["0", "10"]);
  });

  it("INF-072 lists at any version at once if the last one has expired", async () => {
    const source = new ScriptedSource({
      lists: [() => page<Pod>([], "10"), throwing(expired("gone")), () => page<Pod>([pod("a", 11)], "11")],
      watches: [failing(expired("gone")), () => {}],
    });
    const { store } = await reflected(source, 5_000);
    expect(source.listVersions).toEqual(["0", "10", ""]);
    expect(store.keys()).toEqual(["web/a"]);
  });

  it("INF-073 recognizes a too large version in three forms, and lists at any version at once", async () => {
    const versionsAfter = async (refusal: StatusError): Promise<readonly unknown[]> => {
      const source = new ScriptedSource({
        lists: [() => page<Pod>([], "20"), throwing(refusal), () => page<Pod>([], "10")],
        watches: [failing(expired("gone")), () => {}],
      });
      await reflected(source, 5_000);
      return source.listVersions;
    };
    for (const form of ["reason", "cause", "message"] as const)
      expect(await versionsAfter(tooLarge(form))).toEqual(["0", "20", ""]);
    expect(await versionsAfter(timeout("Timeout: try later", 1))).toEqual(["0", "20", "20"]);
  });

  it("INF-074 tries the last version first after a 410 on an open watch", async () => {
    const source = new ScriptedSource({
      lists: [() => page<Pod>([], "10"), () => page<Pod>([], "15")],
      watches: [endingAfterEvent(12), endingAfterEvent(17), () => {}],
    });
    await reflected(source, 20_000);
    expect(source.listVersions).toEqual(["0", "12", "17"]);
  });
});

describe("reflector: backoff and retry", () => {
  /** Returns the delays between a source's watches, on the fake clock. */
  async function delaysBetween(
    failures: readonly unknown[],
    options: Partial<ReflectorOptions> = {},
  ): Promise<{ delays: number[]; source: ScriptedSource }> {
    const clock = new FakeClock();
    const openedMs: number[] = [];
    const source = new ScriptedSource({
      watches: [
        ...failures.map((failure) => (channel: ScriptedSource["channels"][number]): void => {
          openedMs.push(clock.monotonic());
          channel.fail(failure);
        }),
        () => void openedMs.push(clock.monotonic()),
      ],
    });
    const reflector = new Reflector(source, new Indexer<Pod>(), {
      clock,
      stallMs: Number.POSITIVE_INFINITY,
      ...options,
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    for (let turn = 0; turn < 200 && openedMs.length <= failures.length; turn++) await clock.advance(1_000);
    stop.abort();
    await running;
    return { delays: openedMs.slice(1).map((at, index) => at - (openedMs[index] ?? 0)), source };
  }
  const refusals = (count: number): unknown[] => Array.from({ length: count }, connectionRefused);

  it("INF-075 starts at 800 ms, doubles up to 30 s, adds up to the same at random, and starts over after 2 minutes", async () => {
    const { delays } = await delaysBetween(refusals(8), { random: () => 0 });
    expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
    const { delays: jittered } = await delaysBetween(refusals(2), { random: () => 0.5 });
    expect(jittered).toEqual([1_200, 2_400]);

    const clock = new FakeClock();
    const source = new ScriptedSource({
      watches: [failing(connectionRefused()), failing(connectionRefused()), () => {}],
    });
    const stop = new AbortController();
    const options = { clock, random: () => 0, stallMs: Number.POSITIVE_INFINITY };
    const running = new Reflector(source, new Indexer<Pod>(), options).run(stop.signal);
    await clock.advance(2_400);
    expect(source.watches).toHaveLength(3);
    await clock.advance(120_001);
    source.channels.at(-1)?.fail(tooManyRequests("slow down", 1));
    await clock.advance(799);
    expect(source.watches).toHaveLength(3);
    await clock.advance(1);
    expect(source.watches).toHaveLength(4);
    stop.abort();
    await running;
  });

  it("INF-076 watches again after refused connections, with growing delays, without listing", async () => {
    const { delays, source } = await delaysBetween(refusals(5), { backoff: { baseMs: 1, jitter: 1 } });
    const total = delays.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBeGreaterThanOrEqual(31);
    expect(total).toBeLessThanOrEqual(64);
    expect(source.lists).toHaveLength(1);
    const capped = await delaysBetween(refusals(40), { backoff: { baseMs: 1, maxMs: 50, jitter: 1 } });
    expect(capped.delays).toHaveLength(40);
    expect(capped.delays.reduce((sum, delay) => sum + delay, 0)).toBeLessThanOrEqual(40 * 100);
  });

  it("INF-077 accepts a custom backoff", async () => {
    const { delays } = await delaysBetween(refusals(5), { backoff: { baseMs: 10, factor: 2, maxMs: 100, jitter: 0 } });
    expect(delays).toEqual([10, 20, 40, 80, 100]);
  });

  it("INF-078 backs off after a 429, whether it replaces a watch or arrives within it", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource({
      watches: [
        failing(tooManyRequests("slow down", 1)),
        (channel) => {
          channel.push({ type: "ADDED", object: pod("a", 11) });
          channel.fail(tooManyRequests("slow down", 1));
        },
        () => {},
      ],
    });
    const stop = new AbortController();
    const options = { clock, backoff: { baseMs: 1_000, jitter: 0 } };
    const running = new Reflector(source, new Indexer<Pod>(), options).run(stop.signal);
    await clock.advance(999);
    expect(source.watches).toHaveLength(1);
    await clock.advance(1);
    expect(source.watches).toHaveLength(2);
    await clock.advance(1_999);
    expect(source.watches).toHaveLength(2);
    await clock.advance(1);
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(["10", "10", "11"]);
    expect(source.lists).toHaveLength(1);
    stop.abort();
    await running;
  });

  it("INF-079 does not list again after 429 answers", async () => {
    const { source } = await delaysBetween(Array.from({ length: 4 }, () => tooManyRequests("slow down", 1)));
    expect(source.watches).toHaveLength(5);
    expect(source.lists).toHaveLength(1);
  });

  it("INF-080 retries errors of one kind until a deadline, from the first of them", async () => {
    const clock = new FakeClock();
    const retry = new RetryDeadline({ maxMs: 10_000, minResetMs: 60_000, isRetriable: isInternalError, clock });
    retry.after(new Error("other"));
    expect(retry.shouldRetry()).toBe(false);
    retry.after(internalError(new Error("one")));
    expect(retry.shouldRetry()).toBe(true);
    await clock.advance(9_000);
    retry.after(new Error("other"));
    retry.after(undefined);
    expect(retry.shouldRetry()).toBe(true);
    await clock.advance(1_001);
    retry.after(internalError(new Error("two")));
    expect(retry.shouldRetry()).toBe(false);
    const never = new RetryDeadline({ maxMs: 0, minResetMs: 60_000, isRetriable: isInternalError, clock });
    never.after(internalError(new Error("one")));
    expect(never.shouldRetry()).toBe(false);
  });
});

describe("reflector: pagination", () => {
  /** Returns a list of that many objects, in pages of the requested size. */
  function paged(count: number, failures: Record<number, unknown> = {}) {
    const requests: ListRequest[] = [];
    const all = Array.from({ length: count }, (_, index) => pod(`pod-${index}`, 1));
    const list = async (request: ListRequest) => {
      requests.push(request);
      if (failures[requests.length]) throw failures[requests.length];
      const start = Number(request.continue ?? 0);
      const end = request.limit ? start + request.limit : count;
      return page(all.slice(start, end), "10", end < count ? { continue: String(end) } : {});
    };
    return { requests, list };
  }

  it("INF-081 uses an explicit page size for every page, also at a known version", async () => {
    const { list, requests } = paged(10);
    const source = new ScriptedSource({ watches: [failing(expired("gone")), () => {}] });
    source.list = list;
    const { store } = await reflected(source, 5_000, { pageSize: 4 });
    expect(store.size).toBe(10);
    expect(requests.map(({ limit }) => limit)).toEqual([4, 4, 4, 4, 4, 4]);
    expect(requests.map((request) => request.resourceVersion)).toEqual([
      "0",
      undefined,
      undefined,
      "10",
      undefined,
      undefined,
    ]);
    expect(requests.map((request) => request.continue)).toEqual([undefined, "4", "8", undefined, "4", "8"]);
  });

  it("INF-082 lists at a known version without pages", async () => {
    const source = new ScriptedSource({ watches: [failing(expired("gone")), () => {}] });
    await reflected(source, 5_000);
    expect(source.lists.map(({ resourceVersion, limit }) => [resourceVersion, limit])).toEqual([
      ["0", 500],
      ["10", undefined],
    ]);
  });

  it("INF-083 joins pages in order, and reports whether there were several", async () => {
    for (const [count, requestCount] of [
      [0, 1],
      [9, 1],
      [10, 1],
      [11, 2],
      [21, 3],
    ] as const) {
      const { list, requests } = paged(count);
      const listed = await new ListPager(list, { pageSize: 10 }).list({});
      expect(requests).toHaveLength(requestCount);
      expect(listed.isPaginated).toBe(requestCount > 1);
      expect(namesOf(listed.items)).toEqual(Array.from({ length: count }, (_, index) => `pod-${index}`));
    }
  });

  it("INF-084 requests everything at once if a later page has expired, if that is allowed", async () => {
    const failing = paged(21, { 2: expired("gone") });
    await expect(new ListPager(failing.list, { pageSize: 10, fullListIfExpired: false }).list()).rejects.toThrow(
      "gone",
    );
    const falling = paged(21, { 2: expired("gone") });
    const listed = await new ListPager(falling.list, { pageSize: 10 }).list({ resourceVersion: "5" });
    expect(listed.items).toHaveLength(21);
    expect(falling.requests.map(({ limit, continue: token }) => [limit, token])).toEqual([
      [10, undefined],
      [10, "10"],
      [undefined, undefined],
    ]);
  });

  it("INF-085 visits objects in order, until the visitor ends it, throws, or the rest has expired", async () => {
    const visited = async (list: ReturnType<typeof paged>["list"], until = Number.POSITIVE_INFINITY) => {
      const names: string[] = [];
      try {
        for await (const item of new ListPager(list, { pageSize: 10 }).items()) {
          if (names.length === until) throw new Error("enough");
          names.push(item.metadata.name);
        }
        return { names, error: undefined };
      } catch (error) {
        return { names, error: error instanceof Error ? error.message : error };
      }
    };
    const all = Array.from({ length: 21 }, (_, index) => `pod-${index}`);
    expect(await visited(paged(21).list)).toEqual({ names: all, error: undefined });
    expect(await visited(paged(21).list, 12)).toEqual({ names: all.slice(0, 12), error: "enough" });
    const expiring = paged(31, { 3: expired("gone") });
    expect(await visited(expiring.list)).toEqual({ names: all.slice(0, 20), error: "gone" });
  });

  it("INF-086 fetches pages ahead, up to the buffer's size and never past the last", async () => {
    for (const [pageBufferSize, ahead] of [
      [0, 2],
      [1, 3],
    ] as const) {
      const { list, requests } = paged(50);
      const seen: number[] = [];
      for await (const one of new ListPager(list, { pageSize: 10, pageBufferSize }).pages()) {
        await settle();
        seen.push(requests.length);
        expect(one.items).toHaveLength(10);
      }
      expect(seen).toEqual([1, 2, 3, 4, 5].map((number) => Math.min(5, number + ahead - 1)));
    }
  });
});
