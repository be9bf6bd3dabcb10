import { NoMatchError, StatusError } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { broadcasting, KeptEvents, pod } from "./kept-events.ts";

const pulled = { reason: "Pulled", note: "image pulled" };
const refused = (): Error => new Error("connection refused");
const forbidden = new StatusError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  code: 403,
  reason: "Forbidden",
});
const apis = ["v1", "events.k8s.io/v1"] as const;

describe.each(apis)("writing events of %s", (api) => {
  it.each([
    ["a refusal by the server", forbidden],
    ["a request that cannot be made", new TypeError("Converting circular structure to JSON")],
    ["an API that is not served", NoMatchError.ofKind({ group: "events.k8s.io", version: "v1", kind: "Event" })],
  ])("EV-019 does not retry after %s", async (_, error) => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    sink.fail = () => error;
    recorder.event(pod(), pulled);
    await clock.advance(600_000);
    expect(sink.calls).toHaveLength(1);
    await broadcaster.stop();
  });

  it("EV-019 EV-032 tries twelve times without an answer, and stops once there is one", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    sink.fail = refused;
    recorder.event(pod("never"), pulled);
    await clock.advance(600_000);
    expect(sink.calls).toHaveLength(12);
    sink.calls.length = 0;
    sink.fail = () => (sink.calls.length < 3 ? refused() : undefined);
    recorder.event(pod("later"), pulled);
    await clock.advance(600_000);
    expect(sink.verbs).toEqual(["create", "create", "create"]);
    expect(sink.all).toHaveLength(1);
    await broadcaster.stop();
  });

  it("EV-020 EV-032 waits 10 s to 12.5 s between attempts, and less before the second", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    sink.fail = refused;
    recorder.event(pod(), pulled);
    await clock.advance(600_000);
    const [first = -1, ...others] = sink.calls.slice(1).map(({ at }, i) => at - (sink.calls[i]?.at ?? 0));
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThanOrEqual(10_000);
    for (const wait of others) {
      expect(wait).toBeGreaterThanOrEqual(10_000);
      expect(wait).toBeLessThanOrEqual(12_500);
    }
    await broadcaster.stop();
  });

  it("EV-021 tries once, and does not wait, if it is stopped", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    const { promise, reject } = Promise.withResolvers<void>();
    sink.fail = () => promise;
    recorder.event(pod(), pulled);
    await clock.advance(0);
    const stopped = broadcaster.stop();
    reject(refused());
    await stopped;
    expect(sink.calls).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  it("EV-022 loses none of 1000 events, each of which fails four times", async () => {
    const { clock, sink, lines, recorder, broadcaster } = broadcasting(api);
    const failures = new Map<string, number>();
    sink.fail = ({ name }) => {
      const count = failures.get(name) ?? 0;
      failures.set(name, count + 1);
      return count < 4 ? refused() : undefined;
    };
    for (let i = 0; i < 1_000; i++) recorder.event(pod(`p-${i}`), pulled);
    await clock.advance(1_000 * 60_000);
    expect(new Set(sink.all.map((event) => (event.involvedObject ?? event.regarding)?.name)).size).toBe(1_000);
    expect(sink.calls).toHaveLength(5_000);
    expect(lines.filter(({ msg }) => msg === "event")).toHaveLength(1_000);
    await broadcaster.stop();
  });

  it("EV-023 starts again with a new broadcaster", async () => {
    const clock = new FakeClock();
    const keptIn = new KeptEvents(clock);
    for (let round = 0; round < 2; round++) {
      const { recorder, broadcaster } = broadcasting(api, { clock, keptIn });
      recorder.event(pod(), pulled);
      await clock.advance(1_000);
      await broadcaster.stop();
    }
    expect(keptIn.verbs).toEqual(["create", "create"]);
    expect(keptIn.all.map((event) => event.count ?? event.series)).toEqual(
      api === "v1" ? [1, 1] : [undefined, undefined],
    );
  });

  it("EV-024 neither throws nor hangs if it is stopped right after 100 events", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    for (let i = 0; i < 100; i++) recorder.event(pod(`p-${i}`), pulled);
    await broadcaster.stop();
    expect(sink.stored.size).toBe(100);
    expect(clock.waiting).toBe(0);
  });

  it("EV-025 ends with the signal that it was created with", async () => {
    const stop = new AbortController();
    const { clock, sink, recorder } = broadcasting(api, { signal: stop.signal });
    sink.fail = refused;
    recorder.event(pod(), pulled);
    await clock.advance(0);
    stop.abort();
    await clock.advance(0);
    expect(clock.waiting).toBe(0);
    const tries = sink.calls.length;
    recorder.event(pod(), pulled);
    await clock.advance(600_000);
    expect(sink.calls).toHaveLength(tries);
  });

  it("EV-025 starts nothing if its signal has aborted before", async () => {
    const { clock, sink, recorder } = broadcasting(api, { signal: AbortSignal.abort() });
    recorder.event(pod(), pulled);
    await clock.advance(60_000);
    expect(sink.calls).toEqual([]);
  });

  it("EV-037 starts nothing before the first event, and is silent once it is stopped", async () => {
    const { clock, sink, lines, recorder, broadcaster } = broadcasting(api);
    expect(clock.waiting).toBe(0);
    recorder.event(pod(), pulled);
    await clock.advance(0);
    await broadcaster.stop();
    recorder.event(pod(), pulled);
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(1);
    expect(lines.filter(({ msg }) => msg === "event")).toHaveLength(1);
  });

  it("EV-037 waits for its end no longer than allowed", async () => {
    const { clock, sink, recorder, broadcaster } = broadcasting(api);
    sink.fail = () => new Promise(() => {});
    recorder.event(pod(), pulled);
    await clock.advance(0);
    let isStopped = false;
    const stopped = broadcaster.stop(3_000).then(() => {
      isStopped = true;
    });
    await clock.advance(2_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    await stopped;
    expect(isStopped).toBe(true);
  });
});
