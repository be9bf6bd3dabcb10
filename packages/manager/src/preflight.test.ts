import type { Writer } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { type Logger, silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { Preflight } from "./preflight.ts";
import type { Runnable } from "./runnable.ts";

const resource = (plural: string) => ({ group: "", plural, kind: plural, version: "v1", scope: "Namespaced" }) as const;

interface ReviewedAccess {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** An API server that allows everything that is not denied, and the reviews it received. */
function world(
  answer: (asked: ReviewedAccess, signal: AbortSignal) => boolean | Promise<boolean>,
  namespaces?: string[],
) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const reported: { of?: string; rule?: string; namespace?: string }[] = [];
  let atOnce = 0;
  let most = 0;
  const create = async (_kind: unknown, review: object, { signal }: { signal: AbortSignal }) => {
    const { spec } = review as { spec: { resourceAttributes: ReviewedAccess } };
    const { verb, resource: plural, subresource } = spec.resourceAttributes;
    asked.push(`${verb} ${plural}${subresource ? `/${subresource}` : ""}`);
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    const allowed = await answer(spec.resourceAttributes, signal);
    atOnce--;
    return { ...review, status: { allowed } };
  };
  const logger: Logger = Object.assign(Object.create(silentLogger), {
    warn: (fields: object) => void reported.push(fields),
  });
  const preflight = new Preflight({
    client: { create: create as Writer["create"] },
    clock,
    logger,
    describe: () => ({ kinds: [], controllers: [], caches: namespaces ? [{ namespaces }] : [], permissions: [] }),
  });
  const started: string[] = [];
  const stop = new AbortController();
  const controller = (name: string, watches: string, permissions: readonly string[] = []): Runnable =>
    preflight.guard({
      name,
      run: async () => void started.push(name),
      describe: () => ({
        controllers: [{ name, owns: [], watches: [resource(watches)] }],
        permissions: permissions.map((verb) => ({ group: "", resource: "secrets", verbs: [verb] })),
      }),
    });
  const problem = (): string | undefined => {
    try {
      preflight.check();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { clock, asked, reported, preflight, started, stop, controller, problem, most: () => most };
}

it("starts a controller once it has its permissions, and runs the others", async () => {
  let hasSecrets = false;
  const { preflight, stop, clock, controller, started, problem, reported, asked, most } = world(
    (one) => one.resource !== "secrets" || hasSecrets,
  );
  const runs = [controller("site", "pods", ["get", "delete"]), controller("network", "pods")];
  const running = preflight.runnable.run(stop.signal);
  const all = runs.map((one) => one.run(stop.signal));
  await expect.poll(() => started).toEqual(["network"]);
  expect(asked.sort()).toEqual(["delete secrets", "get pods", "get secrets", "list pods", "watch pods"]);
  expect(most()).toBeLessThanOrEqual(8);
  expect(problem()).toBe("controller site lacks get secrets, delete secrets");
  const rule = '- apiGroups: [""]\n  resources: ["secrets"]\n  verbs: ["delete", "get"]\n';
  expect(reported).toEqual([{ of: "controller site", rule }]);

  await clock.advance(29_999);
  expect(asked).toHaveLength(5);
  hasSecrets = true;
  await clock.advance(1);
  await expect.poll(() => started).toEqual(["network", "site"]);
  expect(problem()).toBeUndefined();
  await clock.advance(60_000);
  expect(asked).toHaveLength(10); // no permissions are missing, so nothing is reviewed
  expect(reported).toHaveLength(1);
  stop.abort();
  await Promise.all([running, ...all]);
});

it("reviews in the namespaces of the cache, and never runs a controller that was stopped meanwhile", async () => {
  const { preflight, stop, controller, started, problem } = world(({ namespace }) => namespace === "a", ["a", "b"]);
  const site = controller("site", "pods");
  const running = preflight.runnable.run(stop.signal);
  const run = site.run(stop.signal);
  await expect.poll(problem).toMatch(/^controller site lacks get pods in namespace b, list pods in namespace b/);
  stop.abort();
  await Promise.all([running, run]);
  expect(started).toEqual([]);
});

it.each<[string, (signal: AbortSignal) => Promise<boolean>]>([
  ["refused", () => Promise.reject(new Error("forbidden"))],
  [
    "not answered",
    (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  ],
])("starts all controllers if the review is %s", async (_, answer) => {
  const { preflight, stop, clock, controller, started, problem, reported } = world((_asked, signal) => answer(signal));
  const site = controller("site", "pods");
  const running = preflight.runnable.run(stop.signal);
  const run = site.run(stop.signal);
  await clock.advance(10_000);
  await expect.poll(() => started).toEqual(["site"]);
  expect(reported).toHaveLength(1);
  expect(problem()).toBeUndefined();
  stop.abort();
  await Promise.all([running, run]);
});

it("checks controllers that are added while it runs, and ignores other runnables", async () => {
  const { preflight, stop, controller, started } = world(() => true);
  const running = preflight.runnable.run(stop.signal);
  await Promise.resolve();
  await controller("late", "pods").run(stop.signal);
  expect(started).toEqual(["late"]);
  const cache: Runnable = { group: "caches", run: async () => {}, describe: () => ({}) };
  expect(preflight.guard(cache)).toBe(cache);
  stop.abort();
  await running;
});

it("passes the start of the shutdown on to runs and warmups", async () => {
  const create = async (_kind: unknown, review: object) => ({ ...review, status: { allowed: true } });
  const preflight = new Preflight({
    client: { create: create as Writer["create"] },
    clock: new FakeClock(),
    logger: silentLogger,
    describe: () => ({ kinds: [], controllers: [], caches: [], permissions: [] }),
  });
  const given: unknown[] = [];
  const note = async (_signal: AbortSignal, stopping?: AbortSignal): Promise<void> => void given.push(stopping);
  const { run, warmup } = preflight.guard({
    name: "a",
    run: note,
    warmup: note,
    describe: () => ({ controllers: [], permissions: [] }),
  });
  const [stop, stopping] = [new AbortController(), new AbortController()];
  const asking = preflight.runnable.run(stop.signal);
  await Promise.all([run(stop.signal, stopping.signal), warmup?.(stop.signal, stopping.signal)]);
  expect(given).toEqual([stopping.signal, stopping.signal]);
  stop.abort();
  await asking;
});
