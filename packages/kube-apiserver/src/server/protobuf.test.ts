import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { decodeDocument, encodeDocument, wireFields } from "@kubewright/codec";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const configMaps = "/api/v1/namespaces/default/configmaps";
const sites = "/apis/example.com/v1/namespaces/default/sites";
const meta = "g=meta.k8s.io;v=v1";

const directory = mkdtempSync(join(tmpdir(), "protobuf-"));
let server: ApiServer;
let api: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, auditLogPath: join(directory, "audit.log") });
  api = new ApiClient(server);
  await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", siteDefinition);
  await vi.waitFor(async () => {
    const site = { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "s" } };
    expect((await api.post(sites, site)).status).toBe(201);
  });
});
afterAll(async () => {
  api.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Asked {
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: Buffer | string;
}

async function ask(method: string, path: string, { accept = protobuf, headers, contentType, body }: Asked = {}) {
  const { token = "" } = server.connection();
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; type: string; bytes: Buffer }>();
  const sent = request(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept,
      ...headers,
      ...(body === undefined
        ? {}
        : { "content-type": contentType ?? protobuf, "content-length": Buffer.byteLength(body) }),
    },
  });
  sent.on("error", reject);
  sent.on("response", (response) => {
    const { "content-type": type = "", "content-encoding": encoding } = response.headers;
    buffer(response).then((bytes) => {
      resolve({ status: response.statusCode ?? 0, type, bytes: encoding === "gzip" ? gunzipSync(bytes) : bytes });
    }, reject);
  });
  sent.end(body);
  return promise;
}

/** The same for a response that is a document. */
async function read(method: string, path: string, asked?: Asked) {
  const { status, type, bytes } = await ask(method, path, asked);
  expect(type).toBe(protobuf);
  return { status, document: decodeDocument(bytes) };
}

describe("answers in protobuf", () => {
  it("are supported for every verb", async () => {
    const body = encodeDocument({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } });
    const created = await read("POST", configMaps, { body });
    expect(created).toMatchObject({ status: 201, document: { kind: "ConfigMap", data: { k: "v" } } });
    const inJson = await api.get(`${configMaps}/a`);
    expect(created.document).toEqual(inJson.body);

    const changed = await read("PUT", `${configMaps}/a`, {
      body: encodeDocument({ ...inJson.body, data: { k: "w" } }),
    });
    expect(changed).toMatchObject({ status: 200, document: { data: { k: "w" } } });
    const patch = { body: '{"data":{"l":"x"}}', contentType: "application/merge-patch+json" };
    expect(await read("PATCH", `${configMaps}/a`, patch)).toMatchObject({ document: { data: { k: "w", l: "x" } } });
    expect(await read("GET", configMaps)).toMatchObject({
      document: { kind: "ConfigMapList", apiVersion: "v1", items: [{ metadata: { name: "a" }, data: { l: "x" } }] },
    });
    expect(await read("DELETE", `${configMaps}/a`)).toMatchObject({
      document: { kind: "Status", status: "Success", details: { name: "a", kind: "configmaps" } },
    });
    expect(await read("DELETE", configMaps)).toMatchObject({ document: { kind: "ConfigMapList" } });
  });

  it("are supported for errors", async () => {
    expect(await read("GET", `${configMaps}/none`)).toMatchObject({
      status: 404,
      document: { kind: "Status", message: 'configmaps "none" not found', reason: "NotFound", code: 404 },
    });
    expect((await read("GET", "/api/v1/nothings")).status).toBe(404);
    expect((await read("GET", sites)).status).toBe(406);
    expect(await ask("GET", "/version")).toMatchObject({ status: 406, type: protobuf });
  });

  it("are in the audit log as objects", async () => {
    await ask("GET", `${configMaps}/audited`);
    const line = await vi.waitFor(() => {
      const lines = readFileSync(join(directory, "audit.log"), "utf8").split("\n");
      const found = lines.find((text) => text.includes("/audited") && text.includes("ResponseComplete"));
      if (found === undefined) throw new Error("nothing is written yet");
      return found;
    });
    expect(JSON.parse(line)).toMatchObject({ responseStatus: { reason: "NotFound", code: 404 } });
  });

  it("are not supported for tables", async () => {
    expect(await ask("GET", configMaps, { accept: `${protobuf};as=Table;${meta}` })).toMatchObject({
      status: 406,
      type: "application/json",
    });
  });

  it("contain the metadata of custom resources, which have no other protobuf form", async () => {
    const one = await read("GET", `${sites}/s`, { accept: `${protobuf};as=PartialObjectMetadata;${meta}` });
    expect(one.document).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "s" },
    });
    const all = await read("GET", sites, { accept: `${protobuf};as=PartialObjectMetadataList;${meta}` });
    expect(all.document).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ metadata: { name: "s" } }] });
    expect(await ask("GET", sites, { accept: `${protobuf},application/json` })).toMatchObject({
      status: 200,
      type: "application/json",
    });
  });

  it("are supported for discovery", async () => {
    expect((await read("GET", "/api")).document).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect((await read("GET", "/apis")).document).toMatchObject({ kind: "APIGroupList" });
    expect((await read("GET", "/apis/apps/v1")).document).toMatchObject({ groupVersion: "apps/v1" });
    const as = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { type, bytes } = await ask("GET", "/apis", { accept: `${protobuf};${as}` });
    expect(type).toBe(`${protobuf};${as}`);
    expect(decodeDocument(bytes)).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
    });
  });

  it("are assembled in chunks, and compressed on request", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    for (let index = 0; index < 5; index++) {
      const data = { text: Buffer.alloc(40_000, index).toString("base64") };
      await api.post(secrets, { metadata: { name: `large-${index}` }, data });
    }
    const plain = await ask("GET", secrets);
    const compressed = await ask("GET", secrets, { headers: { "accept-encoding": "gzip" } });
    expect(plain.bytes.length).toBeGreaterThan(200_000);
    expect(compressed.bytes).toEqual(plain.bytes);
    const { body } = await api.get(secrets);
    const { items, metadata } = decodeDocument(plain.bytes) as { items: readonly object[]; metadata: object };
    expect(metadata).toEqual(body.metadata);
    expect(items).toEqual(body.items);
  });
});

describe("watches in protobuf", () => {
  interface Frame {
    readonly type: string;
    readonly object: Readonly<Record<string, unknown>>;
  }

  async function frames(path: string, accept: string): Promise<Frame[]> {
    const { type, bytes } = await ask("GET", path, { accept });
    expect(type).toBe(`${protobuf};stream=watch`);
    const found: Frame[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at);
      const [first, second] = [...wireFields(bytes.subarray(at + 4, at + 4 + length))];
      const [raw] = [...wireFields(second?.bytes ?? Buffer.alloc(0))];
      found.push({ type: String(first?.bytes), object: decodeDocument(raw?.bytes ?? Buffer.alloc(0)) });
      at += 4 + length;
    }
    return found;
  }

  it("send each event after its length", async () => {
    const { body: created } = await api.post(configMaps, { metadata: { name: "watched" }, data: { k: "v" } });
    const since = Number(created.metadata.resourceVersion) - 1;
    await api.patch(`${configMaps}/watched`, "merge", { data: { k: "w" } });
    await api.delete(`${configMaps}/watched`);
    const query = `watch=1&timeoutSeconds=1&resourceVersion=${since}`;
    const events = await frames(`${configMaps}?${query}`, protobuf);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    expect(events[0]?.object).toEqual(created);
    expect(events[1]?.object).toMatchObject({ data: { k: "w" } });

    const partial = await frames(`${configMaps}?${query}`, `${protobuf};as=PartialObjectMetadata;${meta}`);
    expect(partial[0]?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: created.metadata,
    });
  });

  it("send bookmarks and errors the same way", async () => {
    const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const events = await frames(`/api/v1/namespaces/none/pods?watch=1&timeoutSeconds=1&${initial}`, protobuf);
    expect(events[0]).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "Pod", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  });

  it("are not supported in YAML", async () => {
    const { status, bytes } = await ask("GET", `${configMaps}?watch=1&timeoutSeconds=1`, {
      accept: "application/yaml",
    });
    expect(status).toBe(406);
    expect(bytes.toString()).toContain(
      "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
  });
});
