import { type Responder, TestWebhookServer } from "@kubewright/apiserver/testing";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { fetchDiscovery } from "../discovery/fetch-discovery.ts";
import { fetchDocuments } from "../openapi/fetch-documents.ts";
import { type RemoteApiService, readApiService } from "../service/api-service.ts";
import { boundedGet, statusCodeOf } from "./bounded-get.ts";
import { ExtensionEnd, shownAddress } from "./extension-end.ts";

const version = { group: "g.io", version: "v1" };
const user = { name: "jane", groups: ["dev"] };
const signal = new AbortController().signal;
const now = { user, timeoutMs: 60_000, clock: systemClock, signal };

/** An extension server as `b` in the namespace `a`, and this server's connection to it. */
async function extension(answers: Readonly<Record<string, Responder>>, spec: object = {}, names = ["b.a.svc"]) {
  const server = await TestWebhookServer.start(answers, names);
  const apiService = readApiService({
    apiVersion: "v1",
    kind: "APIService",
    metadata: { name: "v1.g.io" },
    spec: { ...version, caBundle: server.caBundle, service: { namespace: "a", name: "b" }, ...spec },
  });
  const asked: unknown[] = [];
  const end = new ExtensionEnd(
    apiService as RemoteApiService,
    async (...service) => {
      asked.push(service);
      return { host: "127.0.0.1", port: server.port };
    },
    undefined,
  );
  const close = async (): Promise<void> => {
    end.close();
    await server[Symbol.asyncDispose]();
  };
  return { server, end, asked, [Symbol.asyncDispose]: close };
}
const text =
  (body: unknown, code = 200, contentType = "application/json"): Responder =>
  () => ({ body, code, contentType });

it("connects to the Service's address, with its server name and the user", async () => {
  await using there = await extension({ "/x": text("hello") });
  const answer = await boundedGet(there.end, {
    path: "/x?a=b",
    maxBytes: 5,
    maxValues: 1,
    headers: { accept: "text/plain" },
    ...now,
  });
  expect([answer.code, answer.text]).toEqual([200, "hello"]);
  expect(there.asked).toEqual([["a", "b", 443]]);
  expect(there.server.calls[0]).toMatchObject({
    query: "a=b",
    headers: {
      accept: "text/plain",
      "accept-encoding": "identity",
      "x-remote-user": "jane",
      "x-remote-group": "dev",
      host: `127.0.0.1:${there.server.port}`,
    },
  });
});

it.each([
  ["with its own name and authority", {}, ["b.a.svc"], true],
  ["of another name", {}, ["c.a.svc"], false],
  ["of an unknown authority", { caBundle: "" }, ["b.a.svc"], false],
  [
    "of an unknown authority, if verification is disabled",
    { caBundle: "", insecureSkipTLSVerify: true },
    ["c.a.svc"],
    true,
  ],
])("accepts a certificate %s, or not", async (_what, spec, names, isTaken) => {
  await using there = await extension({ "/x": text("hello") }, spec, names);
  const asked = statusCodeOf(there.end, { path: "/x", ...now });
  if (isTaken) expect(await asked).toBe(200);
  else await expect(asked).rejects.toThrow(/certificate|altnames/);
  expect(there.server.calls).toHaveLength(isTaken ? 1 : 0);
});

it("reads no more than its limit", async () => {
  await using there = await extension({ "/x": text("hello") });
  await expect(boundedGet(there.end, { path: "/x", maxBytes: 4, maxValues: 1, ...now })).rejects.toThrow();
});

it("waits no longer than its timeout, nor after its signal", async () => {
  const clock = new FakeClock();
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const never: Responder = () => {
    resolve();
    return new Promise(() => {});
  };
  await using there = await extension({ "/x": never });
  const asked = statusCodeOf(there.end, { path: "/x", ...now, clock });
  const failed = expect(asked).rejects.toThrow();
  await called;
  await clock.advance(60_000);
  await failed;
  const stop = new AbortController();
  const stopped = statusCodeOf(there.end, { path: "/x", ...now, signal: stop.signal });
  const isStopped = expect(stopped).rejects.toThrow("enough");
  stop.abort(new Error("enough"));
  await isStopped;
});

it.each([
  [{ host: "10.0.0.1", port: 443 }, "10.0.0.1:443"],
  [{ host: "fd00::1", port: 443 }, "[fd00::1]:443"],
])("shows %j as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const listed = {
  kind: "APIGroupDiscoveryList",
  items: [{ metadata: { name: "g.io" }, versions: [{ version: "v1", resources: [] }] }],
};
const older = {
  kind: "APIResourceList",
  resources: [{ name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get"] }],
};

it("reads both versions of aggregated discovery", async () => {
  await using there = await extension({ "/apis": text(listed, 200, aggregated) });
  expect(await fetchDiscovery(there.end, version, systemClock, signal)).toEqual({ version: "v1", resources: [] });
  expect(await fetchDiscovery(there.end, { ...version, version: "v2" }, systemClock, signal)).toEqual({
    version: "v2",
  });
  expect(there.server.calls[0]?.headers).toMatchObject({
    accept: `${aggregated},${aggregated.replace("v=v2", "v=v2beta1")}`,
    "x-remote-user": "system:kube-aggregator",
    "x-remote-group": "system:masters",
  });
});

it.each([
  ["does not know the newer form", text({ kind: "APIGroupList" })],
  ["refuses the newer form", text(listed, 406, aggregated)],
])("reads the older form of a server that %s", async (_what, apis) => {
  await using there = await extension({ "/apis": apis, "/apis/g.io/v1": text(older) });
  const found = await fetchDiscovery(there.end, version, systemClock, signal);
  expect(found).toMatchObject({ version: "v1", resources: [{ resource: "things", scope: "Namespaced" }] });
  expect(there.server.calls[1]).toMatchObject({ path: "/apis/g.io/v1", headers: { accept: "application/json" } });
});

it.each([
  ["is away", { "/apis": text("", 503) }, "the extension server responded with status 503"],
  [
    "has neither form",
    { "/apis": text("", 404), "/apis/g.io/v1": text("", 404) },
    "the extension server responded with status 404 to /apis/g.io/v1",
  ],
])("fails for a server that %s", async (_what, answers, message) => {
  await using there = await extension(answers);
  await expect(fetchDiscovery(there.end, version, systemClock, signal)).rejects.toThrow(message);
});

const index = (serverRelativeURL: unknown, name = "apis/g.io/v1") => text({ paths: { [name]: { serverRelativeURL } } });
it.each<[string, Responder, [string, string][]]>([
  ["of its version, with a hash", index("/openapi/v3/apis/g.io/v1?hash=AB-1"), [["apis/g.io/v1", "?hash=AB-1"]]],
  ["at another place", index("https://evil/?x=1&hash=AB"), [["apis/g.io/v1", "?hash=AB"]]],
  ["without hash", index("/openapi/v3/apis/g.io/v1"), [["apis/g.io/v1", ""]]],
  ["with an invalid hash", index("/x?hash=A/B"), [["apis/g.io/v1", ""]]],
  ["of another version", index("/x?hash=AB", "apis/g.io/v2"), []],
  ["without paths", text({}), []],
  ["that are invalid", text({ paths: { "apis/g.io/v1": "x" } }), []],
  ["that are absent", text("", 404), []],
])("publishes documents %s", async (_what, answer, expected) => {
  await using there = await extension({ "/openapi/v3": answer, "/openapi/v2": text("", 404) });
  const options = { clock: systemClock, signal };
  const found = await fetchDocuments(there.end, version, options);
  expect([...found.paths]).toEqual(expected.map(([name, query]) => [name, `/openapi/v3/${name}${query}`]));
  expect(found.swagger).toBeUndefined();
  expect(there.server.calls[0]?.headers).toMatchObject({ "x-remote-user": "system:aggregator" });
  expect(await fetchDocuments(there.end, version, { ...options, known: found })).toBe(found);
  const other = { ...found, hash: "x" };
  expect(await fetchDocuments(there.end, version, { ...options, known: other })).toEqual(found);
});

it("publishes nothing for a server that fails, or nests too deeply", async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  for (const answer of [text("", 500), text(deep)]) {
    await using there = await extension({ "/openapi/v3": answer, "/openapi/v2": text("", 404) });
    await expect(fetchDocuments(there.end, version, { clock: systemClock, signal })).rejects.toThrow(
      /responded with status 500 to \/openapi\/v3|nests too deep|too deep/,
    );
  }
});
