import { gunzipSync } from "node:zlib";
import { type KubeObject, notFound, type Stored } from "@kubewright/apimachinery";
import { kubeList, type Reader, type ReadWriter, type Writer, withReader } from "@kubewright/client";
import { ConfigMap, Secret, ServiceAccount } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { FlightRecorder, type FlightRecorderOptions } from "./flight-recorder.ts";
import { Player, Recording } from "./player.ts";
import { RecordingWriter } from "./recording-writer.ts";
import { onlyIn, reconciled, saved, type TestReconciler } from "./testing/recorded.ts";

const object = (name: string, more: object = {}): Stored<KubeObject> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "web", uid: name, creationTimestamp: "2026-01-01T00:00:00Z" },
  ...more,
});

/** A client that returns what it has, and answers each write with the written object. */
function fake(...objects: readonly KubeObject[]): ReadWriter {
  const reader: Reader = {
    get: async (_kind, key) => {
      const name = typeof key === "string" ? key.split("/")[1] : key.name;
      const found = objects.find(({ metadata }) => metadata.name === name);
      if (!found) throw notFound({ group: "", resource: "configmaps" }, String(name));
      return found as never;
    },
    list: async () => kubeList([...objects] as never[], { resourceVersion: "9" }),
  };
  const answer = async (_kind: unknown, sent: unknown) => sent as never;
  const status = { update: answer, patch: answer, apply: answer };
  const token = { status: { token: "eyJhbGciOi.issued-token" } };
  const subResource = { ...status, create: async () => token, get: answer, getText: async () => "text" };
  const writer: Writer = {
    ...{ create: answer, update: answer, patch: answer, apply: answer, status },
    ...{ delete: async () => {}, deleteCollection: async () => {}, subResource: () => subResource as never },
  };
  return withReader(writer, reader);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const textOf = (bytes: Buffer): string => gunzipSync(bytes).toString();

describe("secrets in a saved recording", () => {
  const password = 'hunter2-"quoted"\nand more';
  const secret = object("s", {
    kind: "Secret",
    data: { password: base64(`${password}\n`), short: base64("abc-123"), cert: "AAECAwQFBgcICQ==" },
    metadata: {
      ...object("s").metadata,
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"short":"YWJjLTEyMw=="}}' },
    },
  });
  const recordedText = async (
    reconcile: TestReconciler,
    options: FlightRecorderOptions = {},
    client: ReadWriter = fake(secret),
  ): Promise<{ text: string; replay: unknown }> => {
    const recorder = new FlightRecorder(options);
    await reconciled(recorder, client, "web/s", reconcile);
    const bytes = recorder.dump(0);
    const recording = Recording.read(bytes);
    return { text: textOf(bytes), replay: await new Player(recording).replay(onlyIn(recording), reconcile) };
  };

  it("are HMACs where a Secret is read or written, and in copies elsewhere", async () => {
    const { text, replay } = await recordedText(async (request, { client, observe }) => {
      const { data = {} } = await client.get(Secret, request);
      const plain = Buffer.from(data.password ?? "", "base64").toString();
      await client.list(Secret, { namespace: "web" });
      await client.create(ConfigMap, { metadata: { name: "c" }, data: { url: `x://u:${plain.trim()}@h`, raw: plain } });
      await client.update(Secret, { metadata: { name: "t" }, data: { copied: data.password ?? "" } } as never);
      await client.apply(Secret, { metadata: { name: "t" }, stringData: { other: "applied-in-plain" } });
      await client.patch(Secret, "web/t", { data: { more: base64("patched-in-base64") } });
      const value = base64("json-patched");
      await client.patch(Secret, "web/t", [{ op: "add", path: "/data/x", value }], { type: "json" });
      await client.patch(Secret, "web/t", [{ op: "add", path: "/data", value: { y: value } }], { type: "json" });
      await client.subResource("token").create(ServiceAccount, "web/default", { spec: { audiences: [] } });
      await observe("login", () => ({ sent: "applied-in-plain" }));
      throw new Error(`cannot log in with ${plain}`);
    });
    const planted = [
      ...["hunter2", "and more", "applied-in-plain", "patched-in-base64", "json-patched", "issued-token", "abc-123"],
      ...[password, "applied-in-plain", "patched-in-base64", "json-patched", "abc-123"].map(base64),
      base64(`${password}\n`),
      "AAECAwQFBgcICQ==",
    ];
    expect(planted.filter((each) => text.includes(each))).toEqual([]);
    expect(text).toContain("hmac-");
    expect(replay).toEqual({});
  });

  it("are also HMACs in fields that are named", async () => {
    const site = object("s", {
      spec: { password: "12345", users: [{ token: "t-1" }, { token: "t-2", pin: 4711 }], port: 5432 },
    });
    const redact = ["spec.password", "spec.users.*.token", "spec.users.*.pin"];
    const reconcile: TestReconciler = async (request, { client }) => {
      const read = (await client.get(ConfigMap, request)) as unknown as { spec: { password: string } };
      await client.update(ConfigMap, { ...object("other"), spec: read.spec } as never);
      await client.patch(ConfigMap, request, [{ op: "replace", path: "/spec/users/0/token", value: "t-3" }], {
        type: "json",
      });
      await client.patch(ConfigMap, request, [{ op: "add", path: "/spec", value: read.spec }], { type: "json" });
    };
    const { text, replay } = await recordedText(reconcile, { redact }, fake(site));
    expect(
      ["12345", "t-1", "t-2", "t-3", "4711"].filter((each) => text.includes(`"${each}"`) || text.includes(`:${each}`)),
    ).toEqual([]);
    expect(text).toContain("5432");
    // The value of the patch is in the code, so it is not the HMAC that was recorded.
    expect(replay).toEqual({ difference: expect.stringContaining('now "t-3"') });
    expect(() => new FlightRecorder({ redact: ["spec..x"] })).toThrow(
      'recorder: redact: "spec..x" is not a field path; use a path such as spec.password',
    );
  });

  it("do not break JSON where they look like it", async () => {
    const odd = object("s", {
      kind: "Secret",
      data: { a: base64("12345678"), b: base64("nbcdefgh"), c: base64('","x":"y') },
    });
    const { text } = await recordedText(
      async (request, { client }) => {
        await client.get(Secret, request);
        const data = { list: [12345678], line: "\nbcdefgh", text: 'a","x":"y b' };
        await client.create(ConfigMap, { metadata: { name: "c" }, data } as never);
      },
      {},
      fake(odd),
    );
    const written = text.split("\n").find((line) => line.includes('"line"'));
    expect(JSON.parse(written ?? "")).toMatchObject({
      value: { data: { list: [12345678], line: "\nbcdefgh", text: expect.stringMatching(/^ahmac-\S+ b$/) } },
    });
  });

  it("have other HMACs in the next file", async () => {
    const recorder = new FlightRecorder();
    await reconciled(recorder, fake(secret), "web/s", async (key, { client }) => void (await client.get(Secret, key)));
    const hmacs = [recorder.dump(0), recorder.dump(0)].map((bytes) => /"short":"([^"]*)"/.exec(textOf(bytes))?.[1]);
    expect(hmacs[0]).not.toBe(hmacs[1]);
  });
});

describe("the size of what is recorded", () => {
  const write =
    (size: number): TestReconciler =>
    async (key, { client }) =>
      void (await client.patch(ConfigMap, key, { data: { text: "x".repeat(size) } }));

  it("is limited, so that old reconciles are dropped", async () => {
    const recorder = new FlightRecorder({ maxBytes: 100_000 });
    for (let at = 1; at <= 50; at++) await reconciled(recorder, fake(), `web/${at}`, write(5_000));
    expect(recorder.bytes).toBeLessThanOrEqual(100_000);
    const numbers = saved(recorder).reconciles.map(({ number }) => number);
    expect(numbers.length).toBeGreaterThan(5);
    expect(numbers).toEqual(numbers.map((_, at) => 50 - numbers.length + 1 + at));
  });

  it("includes frozen objects once, until nothing refers to them", async () => {
    const frozen = Object.freeze({ ...object("a", { data: { text: "x".repeat(20_000) } }) });
    Object.freeze(frozen.metadata);
    const client = fake(frozen);
    const recorder = new FlightRecorder({ maxBytes: 100_000 });
    const read: TestReconciler = async (key, { client: c }) => void (await c.get(ConfigMap, key));
    for (let at = 0; at < 20; at++) await reconciled(recorder, client, "web/a", read);
    expect(recorder.recorded).toHaveLength(20);
    expect(recorder.bytes).toBeGreaterThan(20_000);
    const lines = textOf(recorder.dump(0)).split("\n");
    expect(lines.filter((line) => line.startsWith('{"object"'))).toHaveLength(1);
    expect(recorder.take()).toHaveLength(20);
    expect(recorder.bytes).toBe(0);
    expect(recorder.recorded).toEqual([]);
  });

  it("is limited for one reconcile, which is then not replayed", async () => {
    const recorder = new FlightRecorder({ maxBytes: 100_000 });
    await reconciled(recorder, fake(), "web/a", async (key, context) => {
      for (let at = 0; at < 3; at++) await write(30_000)(key, context);
    });
    const recording = saved(recorder);
    expect(recorder.bytes).toBeLessThan(1_000);
    expect(await new Player(recording).replay(onlyIn(recording), async () => ({}))).toEqual({
      skipped: "the reconcile read and wrote more than 50000 bytes",
    });
  });

  it("must be at least 64 KiB", () => {
    expect(() => new FlightRecorder({ maxBytes: 10 })).toThrow("maxBytes must be at least 65536 (64 KiB), got 10");
    expect(() => new FlightRecorder({ maxBytes: Number.NaN })).toThrow(RangeError);
  });
});

it("does not record what it cannot repeat", async () => {
  const recorder = new FlightRecorder();
  await reconciled(
    recorder,
    fake(),
    "web/a",
    async (_, { observe }) => void (await observe("page", () => new Response("x"))),
  );
  const stop = new AbortController();
  const call = { controller: "c", request: { n: 1 }, causes: [], clock: new FakeClock(), signal: stop.signal };
  const interrupted = recorder.begin(call);
  stop.abort();
  interrupted.end({ result: {}, reconcileID: "id", tookMs: 3 });
  const [observed, cut] = saved(recorder).reconciles;
  expect(observed?.unusable).toContain('observe("page") must return a JSON value');
  expect(cut).toMatchObject({
    unusable: "the reconcile was interrupted",
    request: { n: 1 },
    reconcileID: "id",
    tookMs: 3,
  });
});

it("calls onPanic after a programming error was recorded", () => {
  const seen: number[] = [];
  const recorder: FlightRecorder = new FlightRecorder({ onPanic: () => seen.push(recorder.recorded.length) });
  const call = {
    controller: "c",
    request: "a",
    causes: [],
    clock: new FakeClock(),
    signal: new AbortController().signal,
  };
  const about = { reconcileID: undefined, tookMs: 1, isTerminal: false };
  recorder.begin(call).end({ ...about, error: new Error("x"), isPanic: false });
  expect(seen).toEqual([]);
  recorder.begin(call).end({ ...about, error: new TypeError("x"), isPanic: true });
  expect(seen).toEqual([2]);
});

it("continues a file without repeating objects, and counts on after a restart", async () => {
  const client = fake(object("a", { data: { b: "c" } }));
  const read: TestReconciler = async (key, { client: c }) => void (await c.get(ConfigMap, key));
  const file: Buffer[] = [];
  for (const process of [1, 2]) {
    const [recorder, writer] = [new FlightRecorder(), new RecordingWriter({ name: `process-${process}` })];
    for (let at = 0; at < 2; at++) {
      await reconciled(recorder, client, "web/a", read);
      file.push(writer.write(recorder.take(), 0));
    }
  }
  const recording = Recording.read(Buffer.concat(file));
  expect(recording.name).toBe("process-1");
  expect(recording.reconciles.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(textOf(file[1] ?? Buffer.alloc(0))).not.toContain('{"object"');
});
