import { isConflict, isNotFound, isStatusError } from "@kubewright/apimachinery";
import { Client, isConnectionError, kubeList, withReader } from "@kubewright/client";
import { ConfigMap, Deployment, Pod, Secret } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FlightRecorder } from "./flight-recorder.ts";
import { Player } from "./player.ts";
import { onlyIn, reconciled, saved, type TestReconciler } from "./testing/recorded.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({ inProcess: true });
  client = new Client({ connection: env.connection(), fieldOwner: "test" });
});
afterAll(async () => {
  await client.close();
  await env[Symbol.asyncDispose]();
});

let round = 0;
let namespace: string;
const metadata = (name: string) => ({ name, namespace });
const containers = [{ name: "web", image: "nginx:1.29" }];
beforeEach(async () => {
  namespace = `player-${round++}`;
  await client.create(
    { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" },
    {
      metadata: { name: namespace },
    },
  );
  await client.create(ConfigMap, { metadata: { ...metadata("a"), labels: { app: "shop" } }, data: { size: "1" } });
});

/** Records one reconcile, and replays it with the same or with other code. */
async function replayed(before: TestReconciler, now: TestReconciler = before, clock?: FakeClock) {
  const recorder = new FlightRecorder();
  await reconciled(recorder, client, `${namespace}/a`, before, clock);
  const recording = saved(recorder);
  return new Player(recording).replay(onlyIn(recording), now, { timeoutMs: 5_000 });
}

const key = () => `${namespace}/a`;

describe("code that did not change", () => {
  it("reads and writes the same", async () => {
    let seen: unknown[] = [];
    const reconcile: TestReconciler = async (request, context) => {
      const map = await context.client.get(ConfigMap, request);
      const listed = await context.client.list(ConfigMap, { namespace, labels: { app: "shop" } });
      const missing = await context.client.get(ConfigMap, `${namespace}/none`).catch((error: unknown) => error);
      const made = await context.client.apply(ConfigMap, {
        metadata: metadata("b"),
        data: { of: map.data?.size ?? "" },
      });
      const refused = await context.client
        .update(ConfigMap, { ...made, metadata: { ...made.metadata, resourceVersion: "1" } })
        .catch((error: unknown) => error);
      await context.client.patch(ConfigMap, map, { data: { made: made.metadata.uid } });
      await context.client.delete(ConfigMap, `${namespace}/b`);
      seen = [map, [...listed], listed.metadata, isNotFound(missing), isConflict(refused), made];
      return { requeueAfterMs: 5 };
    };
    expect(await replayed(reconcile)).toEqual({});
    const [map, listed, listMetadata, ...others] = seen;
    expect(map).toMatchObject({ metadata: metadata("a"), data: { size: "1" } });
    expect(listed).toEqual([map]);
    expect(listMetadata).toMatchObject({ resourceVersion: expect.any(String) });
    expect(others).toMatchObject([true, true, { metadata: metadata("b"), data: { of: "1" } }]);
  });

  it("writes status and other subresources the same, and reads them", async () => {
    const template = { metadata: { labels: { app: "a" } }, spec: { containers } };
    const spec = { selector: { matchLabels: { app: "a" } }, template };
    const reconcile: TestReconciler = async (_, { client: c }) => {
      const made = await c.create(Deployment, { metadata: metadata("web"), spec });
      await c.status.patch(Deployment, made, { replicas: 2 });
      await c.status.apply(Deployment, { metadata: metadata("web"), status: { readyReplicas: 1 } }, { force: true });
      const scale = await c.subResource("scale").get(Deployment, made);
      await c.subResource("scale").update(Deployment, made, { spec: { replicas: (scale.spec?.replicas ?? 0) + 2 } });
      await c.patch(Deployment, made, [{ op: "add", path: "/metadata/labels", value: { a: "b" } }], { type: "json" });
      await c.deleteCollection(Pod, { namespace, labels: "app=a" });
      return undefined;
    };
    expect(await replayed(reconcile)).toEqual({});
    const without: TestReconciler = (request, context) => {
      const deleteCollection = async (): Promise<void> => {};
      return reconcile(request, { ...context, client: { ...context.client, deleteCollection } });
    };
    const recorder = new FlightRecorder();
    await client.delete(Deployment, `${namespace}/web`);
    await reconciled(recorder, client, key(), reconcile);
    const recording = saved(recorder);
    expect((await new Player(recording).replay(onlyIn(recording), without)).difference).toBe(
      `does not deleteCollection v1/Pod {"namespace":"${namespace}","labelSelector":"app=a"}`,
    );
  });

  it("gets the recorded times, also between answers", async () => {
    const clock = new FakeClock(1_700_000_000_000);
    const times: number[][] = [];
    const reconcile: TestReconciler = async (request, context) => {
      const seen = [context.clock.now(), context.clock.now()];
      await context.client.get(ConfigMap, request);
      await clock.advance(60_000);
      seen.push(context.clock.now(), context.clock.monotonic());
      await context.client.patch(ConfigMap, request, { data: { at: String(seen[2]) } });
      await clock.advance(1);
      seen.push(context.clock.now());
      times.push(seen);
    };
    expect(await replayed(reconcile, reconcile, clock)).toEqual({});
    expect(times[1]).toEqual(times[0]);
    // Code that reads the clock once less gets the same time later.
    const fewer: TestReconciler = async (request, context) => {
      await context.client.get(ConfigMap, request);
      await context.client.patch(ConfigMap, request, { data: { at: String(context.clock.now()) } });
    };
    expect(await replayed(reconcile, fewer, clock)).toEqual({});
  });

  it("does not wait where it waited", async () => {
    const clock = new FakeClock();
    const reconcile: TestReconciler = async (request, context) => {
      const wait = context.clock.sleep(3_600_000);
      await clock.advance(3_600_000);
      await wait;
      await context.client.patch(ConfigMap, request, { data: { slept: "yes" } });
    };
    expect(await replayed(reconcile, reconcile, clock)).toEqual({});
  });

  it("gets the recorded observations", async () => {
    let calls = 0;
    const reconcile: TestReconciler = async (request, context) => {
      const quota = await context.observe("quota", async () => ({ left: 10 - calls++ }));
      const nothing = await context.observe("nothing", () => undefined);
      const failed = await context
        .observe("device", () => Promise.reject(Object.assign(new Error("unplugged"), { code: "EPIPE" })))
        .catch((error: Error & { code?: string }) => `${error.message} ${error.code}`);
      await context.client.patch(ConfigMap, request, { data: { left: `${quota.left} ${failed} ${String(nothing)}` } });
    };
    expect(await replayed(reconcile)).toEqual({});
    expect(calls).toBe(1);
  });

  it("does the same in the order of the answers", async () => {
    for (const name of ["x", "y", "z"]) await client.create(ConfigMap, { metadata: metadata(name) });
    const gates = new Map(["x", "y", "z"].map((name) => [name, Promise.withResolvers<void>()]));
    const order: string[][] = [[], []];
    let isRecording = true;
    const reconcile: TestReconciler = async (_, context) => {
      const all = ["x", "y", "z"].map(async (name) => {
        const map = await context.observe(name, async () => {
          await gates.get(name)?.promise;
          return name;
        });
        order[isRecording ? 0 : 1]?.push(map);
        await context.client.patch(ConfigMap, `${namespace}/${name}`, { data: { at: String(order[0]?.length) } });
      });
      for (const name of ["z", "x", "y"]) {
        gates.get(name)?.resolve();
        await Promise.resolve();
      }
      await Promise.all(all);
      isRecording = false;
    };
    const recorder = new FlightRecorder();
    await reconciled(recorder, client, key(), reconcile);
    const recording = saved(recorder);
    await new Player(recording).replay(onlyIn(recording), async (_, context) => {
      await Promise.all(["x", "y", "z"].map(async (name) => order[1]?.push(await context.observe(name, () => name))));
    });
    expect(order[0]).toEqual(["z", "x", "y"]);
    expect(order[1]).toEqual(order[0]);
  });

  it("fails with the same errors", async () => {
    const reconcile: TestReconciler = async () => {
      throw new Error("no route to the device");
    };
    expect(await replayed(reconcile)).toEqual({});
    const refused: TestReconciler = async (_, context) => {
      await context.client.get(ConfigMap, `${namespace}/none`);
    };
    expect(await replayed(refused)).toEqual({});
    const offline = new Client({ connection: { server: "http://127.0.0.1:1" } });
    const recorder = new FlightRecorder();
    const guarded: TestReconciler = async (request, context) => {
      const error = await context.client.get(ConfigMap, request).catch((thrown: unknown) => thrown);
      throw new Error(`${isConnectionError(error)} ${isStatusError(error)}`);
    };
    await reconciled(recorder, offline, key(), guarded);
    await offline.close();
    const recording = saved(recorder);
    expect(onlyIn(recording).error?.message).toBe("true false");
    expect(await new Player(recording).replay(onlyIn(recording), guarded)).toEqual({});
  });
});

describe("code that changed", () => {
  const before: TestReconciler = async (request, { client: c }) => {
    await c.get(ConfigMap, request);
    await c.apply(ConfigMap, { metadata: metadata("b"), data: { size: "2", kept: "yes" } });
    await c.patch(ConfigMap, request, { data: { done: "yes" } });
    return { requeueAfterMs: 60_000 };
  };
  const edited =
    (more: (request: string, context: Parameters<TestReconciler>[1]) => Promise<unknown>): TestReconciler =>
    (request, context) =>
      more(request, context);

  it.each<[what: string, now: TestReconciler, difference: () => string]>([
    [
      "writes other fields",
      async (request, { client: c }) => {
        await c.get(ConfigMap, request);
        await c.apply(ConfigMap, { metadata: metadata("b"), data: { size: "3" } }, { force: true });
      },
      () =>
        [
          `makes this write differently than recorded: apply v1/ConfigMap ${namespace}/b`,
          "options.force: recorded nothing, now true",
          'data.size: recorded "2", now "3"',
          'data.kept: recorded "yes", now nothing',
        ].join("\n  "),
    ],
    [
      "reads something else",
      async (_, { client: c }) => c.list(ConfigMap, { namespace }),
      () => `makes a read that was not recorded: list v1/ConfigMap {"namespace":"${namespace}"}`,
    ],
    [
      "writes something else",
      async (_, { client: c }) => c.delete(ConfigMap, "web/other"),
      () => "makes a write that was not recorded: delete v1/ConfigMap web/other",
    ],
    [
      "observes something else",
      async (_, { observe }) => observe("quota", () => 1),
      () => 'makes an observation that was not recorded: observe("quota")',
    ],
    ["does not write", async () => ({}), () => `does not apply v1/ConfigMap ${namespace}/b`],
    [
      "writes in another order",
      async (request, { client: c }) => c.patch(ConfigMap, request, { data: { done: "yes" } }),
      () =>
        `makes this write too early: patch v1/ConfigMap ${namespace}/a; it was recorded after: apply v1/ConfigMap ${namespace}/b`,
    ],
    [
      "returns another result",
      edited(async (request, context) => {
        await before(request, context);
        return { requeueAfterMs: 1 };
      }),
      () => "returns { requeueAfterMs: 1 }, but was recorded with { requeueAfterMs: 60000 }",
    ],
    [
      "fails",
      edited(async (request, context) => {
        await before(request, context);
        throw new TypeError("x is not a function");
      }),
      () => "fails with TypeError: x is not a function, but was recorded as successful",
    ],
  ])("%s", async (_what, now, difference) => {
    expect(await replayed(before, now)).toEqual({ difference: difference() });
  });

  it("is successful or fails in another way", async () => {
    const failing: TestReconciler = async () => Promise.reject(new Error("a"));
    expect(await replayed(failing, async () => ({}))).toEqual({
      difference: "succeeds, but was recorded with Error: a",
    });
    expect(await replayed(failing, async () => Promise.reject(new Error("b")))).toEqual({
      difference: "fails with Error: b, but was recorded with Error: a",
    });
  });

  it("uses another client", async () => {
    const recorder = new FlightRecorder();
    await reconciled(recorder, client, key(), async () => ({}));
    const recording = saved(recorder);
    const player = new Player(recording);
    const own = new Client({ connection: player.connection });
    const replay = player.replay(onlyIn(recording), async () => own.get(ConfigMap, key()));
    expect(await replay).toEqual({
      difference: `sends GET /api/v1/namespaces/${namespace}/configmaps/a with a client other than the context's, so the response was not recorded`,
    });
  });

  it("never ends", async () => {
    const recorder = new FlightRecorder();
    await reconciled(recorder, client, key(), async () => ({}));
    const recording = saved(recorder);
    const replay = new Player(recording).replay(onlyIn(recording), () => new Promise(() => {}), { timeoutMs: 10 });
    expect(await replay).toEqual({
      difference: "does not end, because it is waiting for something that was not recorded",
    });
  });
});

it("compares only the keys of a Secret's data", async () => {
  const before: TestReconciler = async (_, { client: c }) =>
    void (await c.apply(Secret, { metadata: metadata("s"), stringData: { password: "from-a-generator-1" } }));
  const again =
    (stringData: Record<string, string>): TestReconciler =>
    async (_, { client: c }) =>
      void (await c.apply(Secret, { metadata: metadata("s"), stringData }));
  expect(await replayed(before, again({ password: "from-a-generator-2" }))).toEqual({});
  expect((await replayed(before, again({ passphrase: "x" }))).difference).toContain("stringData.passphrase");
});

it("freezes what a cache returned frozen", async () => {
  const frozen = Object.freeze({ ...(await client.get(ConfigMap, key())) });
  Object.freeze(frozen.metadata);
  const recorder = new FlightRecorder();
  const cached = withReader(client, { get: async () => frozen as never, list: async () => kubeList([], {}) });
  await reconciled(recorder, cached, key(), async (request, { client: c }) => void (await c.get(ConfigMap, request)));
  const recording = saved(recorder);
  const replay = new Player(recording).replay(onlyIn(recording), async (request: string, { client: c }) => {
    const map = await c.get(ConfigMap, request);
    Object.assign(map.data ?? {}, { size: "3" });
  });
  expect((await replay).difference).toContain("fails with TypeError: Cannot assign to read only property 'size'");
});
