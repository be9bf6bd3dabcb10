import { getEventListeners, once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it, vi } from "vitest";
import { Connection } from "../connection/connection.ts";
import { ConfigMap, Pod } from "../kinds/index.ts";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { StubApi, type StubRequest, type StubResponse, type StubTakeover } from "../testing/stub-api.ts";
import { stubCertificate } from "../testing/stub-http2.ts";
import { errorOf, Refused, TestFence } from "../testing/test-fence.ts";
import { Client } from "./client.ts";
import type { FencedCall } from "./object-calls.ts";
import { throughFence } from "./write-pipeline.ts";

const key = "ns/a";
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "ns" } };

async function fenced(
  answer: (request: StubRequest) => StubResponse | StubTakeover,
  settings: Partial<ConnectionSettings> = {},
) {
  const api = await StubApi.start(answer);
  const clock = new FakeClock();
  const fence = new TestFence();
  const connection = new Connection({ server: api.url, ...settings }, { clock });
  const client = new Client({ connection, clock, fence });
  const close = async () => {
    await connection.close();
    await api[Symbol.asyncDispose]();
  };
  return { api, clock, fence, client, [Symbol.asyncDispose]: close };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe("a fenced client", () => {
  it("lets every kind of write through while the fence is open, and sends none when it is closed", async () => {
    await using stub = await fenced(() => ({ body: object }));
    const { client, fence, api } = stub;
    const eviction = { metadata: { name: "a", namespace: "ns" } };
    const writes: (() => Promise<unknown>)[] = [
      () => client.create(ConfigMap, object),
      () => client.update(ConfigMap, object),
      () => client.patch(ConfigMap, key, { data: {} }),
      () => client.apply(ConfigMap, object),
      () => client.delete(ConfigMap, key),
      () => client.deleteCollection(ConfigMap, { namespace: "ns" }),
      () => client.status.update(Pod, { ...object, kind: "Pod" } as never),
      () => client.status.patch(Pod, key, {}),
      () => client.status.apply(Pod, { ...object, kind: "Pod" } as never),
      () => client.subResource("eviction").create(Pod, key, eviction),
      () => client.subResource("scale").update(Pod, key, {} as never),
      () => client.subResource("scale").patch(Pod, key, {}),
      () => client.with({ dryRun: true }).create(ConfigMap, object),
    ];
    for (const write of writes) await write();
    expect(api.requests).toHaveLength(writes.length);
    expect(fence.asked).toBe(2 * writes.length);

    fence.isOpen = false;
    for (const write of writes) expect(await errorOf(write())).toBeInstanceOf(Refused);
    expect(api.requests).toHaveLength(writes.length);
    const error = (await errorOf(client.delete(ConfigMap, key))) as Error;
    expect([error.message, error.cause]).toEqual(["delete ConfigMap ns/a: not sent", fence.why]);
  });

  it("is derived from a client without a fence, which is unchanged; an undefined fence keeps the existing one", async () => {
    await using api = await StubApi.start(() => ({ body: object }));
    await using plain = new Client({ connection: { server: api.url } });
    const fence = new TestFence();
    const fenced = plain.with({ fence });
    fence.isOpen = false;
    expect(await errorOf(fenced.create(ConfigMap, object))).toBeInstanceOf(Refused);
    expect(await errorOf(fenced.with({ fence: undefined }).create(ConfigMap, object))).toBeInstanceOf(Refused);
    await plain.create(ConfigMap, object);
    expect(api.requests).toHaveLength(1);
  });

  it("does not check reads", async () => {
    await using stub = await fenced(() => ({ body: { ...object, items: [] } }));
    stub.fence.close();
    await stub.client.get(ConfigMap, key);
    await stub.client.list(ConfigMap);
    await stub.client.status.get(Pod, key);
    expect(stub.fence.asked).toBe(0);
  });

  it.each([
    ["a refusal with Retry-After", { status: 429, headers: { "retry-after": "1" } }],
    ["a server that is temporarily unavailable", { status: 503, headers: { "retry-after": "1" } }],
  ])("checks again before it repeats a write after %s", async (_what, refusal) => {
    await using stub = await fenced(() => refusal);
    const { client, fence, api, clock } = stub;
    const error = errorOf(client.patch(ConfigMap, key, { data: {} }));
    await until(() => clock.waiting > 0);
    fence.isOpen = false;
    await clock.advance(1_000);
    expect(await error).toMatchObject({ message: "patch ConfigMap ns/a: not sent", cause: fence.why });
    expect(api.requests).toHaveLength(1);
  });

  it("gives up at once a write that waits for its next try", async () => {
    await using stub = await fenced(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    const error = errorOf(stub.client.patch(ConfigMap, key, { data: {} }));
    await until(() => stub.clock.waiting > 0);
    stub.fence.close();
    expect(await error).toMatchObject({ message: "patch ConfigMap ns/a: given up", cause: stub.fence.why });
    expect(stub.clock.waiting).toBe(0);
  });

  it("checks again before it repeats a write with other credentials", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fence-"));
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "old");
    await using stub = await fenced(
      () => {
        stub.fence.isOpen = false;
        writeFileSync(tokenFile, "new");
        return { status: 401 };
      },
      { tokenFile },
    );
    expect(await errorOf(stub.client.patch(ConfigMap, key, {}))).toBeInstanceOf(Refused);
    expect(stub.api.requests).toHaveLength(1);
    await rm(folder, { recursive: true });
  });

  it("sends nothing that was queued for a connection when the fence closed", async () => {
    const answers: (() => void)[] = [];
    await using stub = await fenced(() => (response) => {
      response.setHeader("content-type", "application/json");
      answers.push(() => response.end(JSON.stringify(object)));
    });
    const { client, fence, api } = stub;
    const writes = Array.from({ length: 120 }, () => errorOf(client.patch(ConfigMap, key, { data: {} })));
    await until(() => api.requests.length === 100);
    fence.isOpen = false; // without a signal, for example because the process was stopped
    for (const answer of answers) answer();
    const errors = await Promise.all(writes);
    expect(errors.filter((error) => error instanceof Refused)).toHaveLength(20);
    expect(api.requests).toHaveLength(100);
  });

  it("rejects a write in progress at once, and reports that it may have been processed", async () => {
    await using stub = await fenced(() => () => {});
    const { client, fence, api } = stub;
    const error = errorOf(client.patch(ConfigMap, key, { data: {} }));
    await until(() => api.requests.length === 1);
    fence.close();
    expect(await error).toMatchObject({ message: "patch ConfigMap ns/a: given up", cause: fence.why });
  });

  it("rejects at once a write that waits for discovery", async () => {
    await using stub = await fenced(() => () => {});
    const { client, fence, api } = stub;
    const unknown = { group: "shop.example", version: "v1", kind: "Site" };
    const error = errorOf(client.patch(unknown, key, {}));
    await until(() => api.requests.length > 0);
    fence.close();
    expect(await error).toMatchObject({ message: "patch Site ns/a: not sent" });
    expect(api.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("rejects with the caller's reason if the caller aborts", async () => {
    await using stub = await fenced(() => () => {});
    const { client, api } = stub;
    const caller = new AbortController();
    const error = errorOf(client.patch(ConfigMap, key, {}, { signal: caller.signal }));
    await until(() => api.requests.length === 1);
    const reason = new Error("changed my mind");
    caller.abort(reason);
    expect(await error).toBe(reason);
    expect(await errorOf(client.patch(ConfigMap, key, {}, { signal: caller.signal }))).toBe(reason);
  });

  it("leaves no listener behind", async () => {
    await using stub = await fenced(() => ({ body: object }));
    const { client, fence } = stub;
    const caller = new AbortController();
    const seen = new Set<number>();
    const listeners = () => [fence.signal, caller.signal].map((signal) => getEventListeners(signal, "abort").length);
    const { check } = fence;
    fence.check = () => {
      check.call(fence);
      seen.add(listeners()[0] ?? 0);
    };
    for (let i = 0; i < 5; i++) await client.patch(ConfigMap, key, {}, { signal: caller.signal });
    expect([...seen]).toEqual([1]);
    expect(listeners()).toEqual([0, 0]);
  });
});

/** A server of HTTP/2 and HTTP/1.1 with an event loop of its own, which counts the received writes. */
const countingServer = `
  const { createSecureServer } = require("node:http2");
  const { parentPort, workerData } = require("node:worker_threads");
  const writes = new Int32Array(workerData.writes);
  const server = createSecureServer({ ...workerData.certificate, allowHTTP1: true }, (request, response) => {
    if (request.method !== "GET") Atomics.add(writes, 0, 1);
    response.setHeader("content-type", "application/json");
    request.resume().on("end", () => response.end("{}"));
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

it("sends a write synchronously with the check of the fence, not in a later turn of the event loop", async () => {
  const writes = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(countingServer, {
    eval: true,
    workerData: { certificate: stubCertificate, writes: writes.buffer },
  });
  const [port] = (await once(worker, "message")) as [number];
  const connection = new Connection({ server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true });
  const fence = new TestFence();
  const client = new Client({ connection, fence });
  await client.patch(ConfigMap, key, {});

  let hasArrived = false;
  const stall = () => {
    const began = performance.now();
    while (!hasArrived && performance.now() - began < 5_000) hasArrived = Atomics.load(writes, 0) === 2;
  };
  const { check } = fence;
  fence.check = () => {
    check.call(fence);
    if (fence.asked === 4) queueMicrotask(stall);
  };
  await client.patch(ConfigMap, key, {});
  expect(hasArrived).toBe(true);
  await connection.close();
  await worker.terminate();
});

describe("a write through a fence", () => {
  /** The check of its fence always passes. */
  class BlindFence extends TestFence {
    override check(): void {
      this.asked++;
    }
  }

  async function begun(fence: TestFence, signal?: AbortSignal) {
    const fencedCall = Promise.withResolvers<FencedCall>();
    const error = errorOf(
      throughFence(fence, { what: () => "patch", signal }, (call) => {
        fencedCall.resolve(call);
        return new Promise(() => {});
      }),
    );
    return { error, call: await fencedCall.promise };
  }

  it.each([false, true])("sends nothing after the fence closed, even if its check passes: %s", async (wasSent) => {
    const fence = new BlindFence();
    const { error, call } = await begun(fence);
    if (wasSent) call.beforeSending();
    fence.close();
    expect(call.signal.aborted).toBe(true);
    expect(call.beforeSending).toThrow(Refused);
    expect(await error).toMatchObject({ message: wasSent ? "patch: given up" : "patch: not sent" });
  });

  it("sends nothing more once its caller gave up", async () => {
    const [caller, reason] = [new AbortController(), new Error("enough")];
    const { error, call } = await begun(new TestFence(), caller.signal);
    call.beforeSending();
    caller.abort(reason);
    expect(call.beforeSending).toThrow(reason);
    expect(await error).toBe(reason);
  });

  it.each([false, true])(
    "that its caller cancelled is reported to the fence only if it was sent: %s",
    async (wasSent) => {
      const caller = new AbortController();
      const fence = Object.assign(new TestFence(), { abandoned: vi.fn() });
      const { error, call } = await begun(fence, caller.signal);
      if (wasSent) call.beforeSending();
      caller.abort(new Error("enough"));
      await error;
      expect(fence.abandoned).toHaveBeenCalledTimes(wasSent ? 1 : 0);
    },
  );

  it("that was refused before a second try was not processed", async () => {
    const fence = new TestFence();
    const { error, call } = await begun(fence);
    call.beforeSending();
    fence.isOpen = false;
    expect(call.beforeSending).toThrow("patch: not sent");
    expect(await error).toMatchObject({ message: "patch: not sent", cause: fence.why });
  });
});
