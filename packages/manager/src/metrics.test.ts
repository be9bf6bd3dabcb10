import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

const buckets = [0.1, 1, 10];
const labelNames = ["name", "result"] as const;

describe("metrics", () => {
  it("are served like prom-client's own", async () => {
    const ours = new Metrics();
    const theirs = new Registry();
    const [counted, gauged, observed] = [
      ours.counter({ name: "c_total", help: "counts", labelNames }),
      ours.gauge({ name: "g", help: "goes up and down", labelNames }),
      ours.histogram({ name: "h_seconds", help: "spreads", labelNames, buckets }),
    ];
    const common = { labelNames, registers: [theirs] };
    const [theirCounter, theirGauge, theirHistogram] = [
      new Counter({ name: "c_total", help: "counts", ...common }),
      new Gauge({ name: "g", help: "goes up and down", ...common }),
      new Histogram({ name: "h_seconds", help: "spreads", buckets, ...common }),
    ];
    for (const [index, value] of [0.05, 0.1, 5, 50].entries()) {
      const labels = ["a", index % 2 === 0 ? "even" : "odd"] as const;
      counted(...labels).inc();
      theirCounter.labels(...labels).inc();
      gauged(...labels).set(value);
      gauged(...labels).dec();
      theirGauge.labels(...labels).set(value);
      theirGauge.labels(...labels).dec();
      observed(...labels).observe(value);
      theirHistogram.labels(...labels).observe(value);
    }

    expect(await ours.metrics()).toBe(await theirs.metrics());
    expect(await ours.metrics()).toBe(await theirs.metrics());
    const json = async (registry: Registry): Promise<unknown> =>
      JSON.parse(
        JSON.stringify(await registry.getMetricsAsJSON(), (key, value) => (key === "exemplar" ? undefined : value)),
      );
    expect(await json(await ours.registry())).toEqual(await json(theirs));
  });

  it("have the same default buckets of seconds as prom-client", async () => {
    const [ours, theirs] = [new Metrics(), new Registry()];
    ours.histogram({ name: "h_seconds", help: "spreads" })().observe(0.2);
    new Histogram({ name: "h_seconds", help: "spreads", registers: [theirs] }).observe(0.2);
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });

  it("give the same series for the same labels", () => {
    const counted = new Metrics().counter({ name: "c_total", help: "counts", labelNames });
    counted("a", "b").inc(2);
    expect(counted("a", "b").value).toBe(2);
    expect(counted("a,b", "").value).toBe(0);
    expect(() => counted("a", "b").inc(-1)).toThrow("a counter can only increase, but the increment is -1");
  });

  it("are included even if they were made after the first request", async () => {
    const metrics = new Metrics();
    await metrics.metrics();
    metrics.gauge({ name: "late", help: "is late" })().set(5);
    expect(await metrics.metrics()).toContain("\nlate 5\n");
  });

  it("may be collected on request, and drop values that no longer exist", async () => {
    const metrics = new Metrics();
    const sizes = new Map([["a", 1]]);
    const collect = (of: (name: string) => { set(size: number): void }): void => {
      for (const [name, size] of sizes) of(name).set(size);
    };
    metrics.gauge({ name: "size", help: "sizes", labelNames: ["name"], collect });
    expect(await metrics.metrics()).toContain('size{name="a"} 1');
    sizes.delete("a");
    sizes.set("b", 2);
    expect(await metrics.metrics()).toMatch(/size\{name="b"\} 2\n$/);
    expect(await metrics.metrics()).not.toContain('"a"');
  });

  it("may be counts that are kept and end elsewhere", async () => {
    const metrics = new Metrics();
    const counts = new Map([["a", 3]]);
    const collect = (of: (name: string) => { inc(by: number): void }): void => {
      for (const [name, count] of counts) of(name).inc(count);
    };
    metrics.counter({ name: "seen_total", help: "seen", labelNames: ["name"], collect });
    expect(await metrics.metrics()).toContain('seen_total{name="a"} 3');
    expect(await metrics.metrics()).toContain('seen_total{name="a"} 3');
    counts.delete("a");
    expect(await metrics.metrics()).not.toContain('"a"');
  });

  it("are refused at once if serving them would fail", () => {
    const metrics = new Metrics();
    metrics.counter({ name: "c_total", help: "counts" });
    expect(() => metrics.gauge({ name: "c_total", help: "again" })).toThrow("name c_total has already been registered");
    expect(() => metrics.gauge({ name: "no-dash", help: "" })).toThrow('"no-dash" is not a valid metric name');
    const badLabel = { name: "x", help: "", labelNames: ["a-b"] };
    expect(() => metrics.counter(badLabel)).toThrow('"a-b" is not a valid label name for the metric x');
    expect(() => metrics.histogram({ name: "h", help: "", buckets: [1, 1] })).toThrow("ascending order, got 1, 1");
  });

  it("need prom-client only on the first request", () => {
    const program = `
      const { Metrics } = await import("./index.ts");
      const { registerHooks } = await import("node:module");
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const metrics = new Metrics();
      metrics.counter({ name: "c_total", help: "counts" })().inc();
      console.log(String(loaded.length));
      await metrics.metrics();
      console.log(String(loaded.some((url) => url.includes("prom-client"))));
    `;
    const args = ["--conditions=@kubewright/source", "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    expect(stdout, stderr).toBe("0\ntrue\n");
  });
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Requests the metrics once, and keeps only a weak reference. */
async function looksAt(ofProcess: boolean): Promise<WeakRef<object>> {
  const seen = { count: 7 };
  const metrics = new Metrics({ ofProcess });
  metrics.gauge({ name: "seen", help: "what is seen", collect: (of) => of().set(seen.count) });
  expect(await metrics.metrics()).toContain("seen 7");
  return new WeakRef(seen);
}

it.each([false, true])("keeps nothing in memory after a request: of the process %s", async (ofProcess) => {
  const reference = await looksAt(ofProcess);
  for (let round = 0; round < 20 && reference.deref(); round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(reference.deref()).toBeUndefined();
});

it("adds the process's own metrics to each registry that requests them", async () => {
  const [one, another, without] = [new Metrics({ ofProcess: true }), new Metrics({ ofProcess: true }), new Metrics()];
  for (const metrics of [one, another]) {
    const text = await metrics.metrics();
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text.match(/^# TYPE nodejs_gc_duration_seconds /gm)).toHaveLength(1);
  }
  expect(await without.metrics()).not.toContain("process_");
});
