import { isNoMatch, StaleGroupVersionError } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { StubApi, type StubRequest } from "../testing/stub-api.ts";
import { Connection } from "./connection.ts";
import { Discovery } from "./discovery.ts";
import { DiscoveryRESTMapper } from "./discovery-rest-mapper.ts";

const resource = (kind: string, plural: string, extra = {}) => ({
  resource: plural,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get"],
  ...extra,
});
const aggregated = (...items: object[]) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items,
});
const core = aggregated({
  metadata: {},
  versions: [
    {
      version: "v1",
      resources: [
        resource("Pod", "pods", { shortNames: ["po"], subresources: [{ subresource: "status" }] }),
        resource("Node", "nodes", { scope: "Cluster" }),
      ],
    },
  ],
});
const apps = {
  metadata: { name: "apps" },
  versions: [
    { version: "v2", resources: [resource("Deployment", "deployments", { shortNames: ["deploy"] })] },
    { version: "v1", resources: [resource("Deployment", "deployments")] },
  ],
};
const shop = { metadata: { name: "shop" }, versions: [{ version: "v1", resources: [resource("Site", "sites")] }] };

function modern({ path, headers }: StubRequest, ...groups: object[]) {
  expect(headers.accept).toContain("as=APIGroupDiscoveryList");
  return { body: path === "/api" ? core : aggregated(...groups) };
}

function legacy({ path }: StubRequest) {
  const list = (...resources: object[]) => ({ body: { kind: "APIResourceList", resources } });
  switch (path) {
    case "/api":
      return { body: { kind: "APIVersions", versions: ["v1"] } };
    case "/apis":
      return {
        body: {
          kind: "APIGroupList",
          groups: [
            { name: "apps", versions: [{ version: "v1" }, { version: "v2" }], preferredVersion: { version: "v2" } },
            { name: "down", versions: [{ version: "v1" }] },
          ],
        },
      };
    case "/api/v1":
      return list(
        { name: "pods", kind: "Pod", namespaced: true, shortNames: ["po"] },
        { name: "pods/status", kind: "Pod", namespaced: true },
        { name: "nodes", kind: "Node", namespaced: false },
      );
    case "/apis/down/v1":
      return { status: 503, body: "service unavailable" };
    default:
      return list({ name: "deployments", kind: "Deployment", namespaced: true, shortNames: ["deploy"] });
  }
}

async function mapping(answer: (request: StubRequest) => { status?: number; body: object | string }) {
  const clock = new FakeClock();
  const api = await StubApi.start(answer);
  const connection = new Connection({ server: api.url });
  const discovery = new Discovery(connection);
  const mapper = new DiscoveryRESTMapper(discovery, { clock });
  return {
    api,
    clock,
    discovery,
    mapper,
    async [Symbol.asyncDispose]() {
      await connection.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ["aggregated", (request: StubRequest) => modern(request, apps), 2],
  ["legacy", legacy, 2 + 2 + 4],
] as const)("DiscoveryRESTMapper on %s discovery", (_name, answer, requests) => {
  it("makes no request before its first use and then caches the response", async () => {
    await using stub = await mapping(answer);
    expect(stub.api.requests).toHaveLength(0);

    expect(await stub.mapper.mappingFor({ group: "", version: "v1", kind: "Node" })).toMatchObject({
      gvr: { group: "", version: "v1", resource: "nodes" },
      scope: "Cluster",
    });
    expect(await stub.mapper.mappingFor({ group: "apps", version: "v1", kind: "Deployment" })).toMatchObject({
      gvr: { version: "v1" },
      scope: "Namespaced",
    });
    expect(stub.api.requests).toHaveLength(requests);
  });

  it("prefers the server's preferred version", async () => {
    await using stub = await mapping(answer);

    expect((await stub.mapper.mappingFor({ group: "apps", kind: "Deployment" })).gvk.version).toBe("v2");
  });

  it("knows short names and subresources", async () => {
    await using stub = await mapping(answer);

    expect((await stub.mapper.mappingForResource("po")).gvk.kind).toBe("Pod");
    expect((await stub.mapper.mappingForResource("deployments.v1.apps")).gvk).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
    });
    expect((await stub.discovery.resources()).find(({ gvk }) => gvk.kind === "Pod")?.subResources).toEqual(["status"]);
  });
});

describe("DiscoveryRESTMapper", () => {
  it("finds a kind that was registered after the first query", async () => {
    const groups: object[] = [apps];
    await using stub = await mapping((request) => modern(request, ...groups));
    const site = { group: "shop", version: "v1", kind: "Site" };

    await stub.mapper.mappingFor({ group: "apps", kind: "Deployment" });
    await expect(stub.mapper.mappingFor(site)).rejects.toSatisfy(isNoMatch);
    groups.push(shop);
    expect((await stub.mapper.mappingFor(site)).gvr.resource).toBe("sites");
  });

  it("does not rely on an older response that another caller requested", async () => {
    const groups: object[] = [apps];
    await using stub = await mapping((request) => modern(request, ...groups));
    await stub.discovery.groups();
    groups.push(shop);

    expect((await stub.mapper.mappingFor({ group: "shop", kind: "Site" })).gvr.resource).toBe("sites");
  });

  it("asks the server a limited number of times for a kind that does not exist", async () => {
    await using stub = await mapping((request) => modern(request, apps));
    const miss = () => expect(stub.mapper.mappingFor({ group: "no", kind: "Such" })).rejects.toSatisfy(isNoMatch);

    for (let i = 0; i < 30; i++) await miss();
    expect(stub.api.requests).toHaveLength(2 * 11);

    await stub.clock.advance(2_000);
    await Promise.all(Array.from({ length: 5 }, miss));
    expect(stub.api.requests).toHaveLength(2 * 12);
  });

  it("asks again after a failure", async () => {
    let down = true;
    await using stub = await mapping((request) => (down ? { status: 500, body: "down" } : modern(request, apps)));

    await expect(stub.mapper.mappingForResource("deploy")).rejects.toThrow("discover: an error on the server");
    down = false;
    expect((await stub.mapper.mappingForResource("deploy")).gvk.kind).toBe("Deployment");
  });
});

const isStale = (error: unknown): boolean => error instanceof StaleGroupVersionError && !isNoMatch(error);

describe.each([
  [
    "aggregated",
    (request: StubRequest) =>
      modern(
        request,
        apps,
        {
          metadata: { name: "down" },
          versions: [{ version: "v1", resources: [resource("Old", "olds")], freshness: "Stale" }],
        },
        { metadata: { name: "half" }, versions: [{ version: "v2", freshness: "Stale" }, ...shop.versions] },
      ),
  ],
  ["legacy", legacy],
] as const)("a stale group version in %s discovery", (name, answer) => {
  it("makes only the kinds that it may serve unknown", async () => {
    await using stub = await mapping(answer);
    const { mapper } = stub;
    await expect(mapper.mappingFor({ group: "down", kind: "Any" })).rejects.toThrow(
      'unable to look up kind "Any": down/v1: stale GroupVersion discovery: down/v1 (check the server behind APIService v1.down)',
    );
    await expect(mapper.mappingFor({ group: "down", version: "v1", kind: "Old" })).rejects.toSatisfy(isStale);
    await expect(mapper.mappingFor({ group: "down", version: "v2", kind: "Any" })).rejects.toSatisfy(isNoMatch);
    await expect(mapper.mappingFor({ group: "apps", kind: "Any" })).rejects.toSatisfy(isNoMatch);
    for (const unknown of ["anys", "anys.down", "anys.v1.Down"])
      await expect(mapper.mappingForResource(unknown)).rejects.toSatisfy(isStale);
    await expect(mapper.mappingForResource("anys.apps")).rejects.toSatisfy(isNoMatch);
    expect((await mapper.mappingForResource("deploy")).gvk.group).toBe("apps");
    if (name === "legacy") return;
    expect((await mapper.mappingFor({ group: "half", kind: "Site" })).gvk.version).toBe("v1");
    await expect(mapper.mappingFor({ group: "half", kind: "Any" })).rejects.toThrow("half/v2");
  });
});

describe("legacy discovery", () => {
  it("fails, rather than finding no groups, while the list of groups is unavailable", async () => {
    let status = 503;
    await using stub = await mapping((request) =>
      request.path === "/apis" && status !== 200 ? { status, body: "service unavailable" } : legacy(request),
    );
    await expect(stub.discovery.groups()).rejects.toThrow("discover");
    status = 200;
    expect((await stub.discovery.groups()).map(({ name }) => name)).toEqual(["", "apps", "down"]);
  });
});
