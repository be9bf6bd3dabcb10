import { describedResource, type Kind } from "@kubewright/apimachinery";
import { ConfigMap, Deployment, Node } from "@kubewright/client/kinds";
import type { ObjectAccess } from "@kubewright/manager/http";
import { expect, it } from "vitest";
import type { Viewer } from "../security/gate.ts";
import { fakeApi, type ReceivedRequest } from "../testing/fake-api.ts";
import { objectView } from "./object-view.ts";

const viewer: Viewer = { type: "user", user: { username: "ann" } };
const status404 = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
const { signal } = new AbortController();

async function view(
  kind: Kind | undefined,
  key: string,
  options: {
    may?: (object: ObjectAccess) => boolean;
    answer?: (asked: ReceivedRequest) => { status?: number; body: object };
  } = {},
) {
  const { may = () => true, answer = () => ({ status: 404, body: status404 }) } = options;
  await using api = await fakeApi(answer);
  const reviewed: ObjectAccess[] = [];
  const gate = {
    maySee: async (_viewer: Viewer, object: ObjectAccess) => {
      reviewed.push(object);
      return may(object);
    },
  };
  const main = kind && { for: describedResource(kind) };
  const controller = { name: "mirror", owns: [], watches: [], ...main };
  const found = await objectView({ client: api.client, gate, viewer, signal }, controller, key);
  return { found, reviewed, asked: api.asked.map(({ url }) => url) };
}

it("checks permission for the object before it reads anything", async () => {
  const { found, reviewed, asked } = await view(Deployment, "web/shop", { may: () => false });
  expect(found).toEqual({ status: 403, message: "you may not get deployments.apps web/shop" });
  const access = { verb: "get", group: "apps", version: "v1", resource: "deployments", namespace: "web", name: "shop" };
  expect([reviewed, asked]).toEqual([[access], []]);
  const configMap = await view(ConfigMap, "web/a", { may: () => false });
  expect(configMap.found).toMatchObject({ message: "you may not get configmaps web/a" });
});

it("refuses keys that do not match the kind's scope", async () => {
  for (const key of ["web/node-1", "default/node-1"])
    expect(await view(Node, key)).toEqual({
      found: { status: 400, message: `key: "${key}" is not valid; use name, because the kind is cluster-scoped` },
      ...{ reviewed: [], asked: [] },
    });
  const long = `a/${"b".repeat(519)}`;
  for (const key of ["", "a", "/a", "a/", "a/b/c", "a/..", "../a", "a/.", "a/%2e", "%/a", long])
    expect(await view(ConfigMap, key)).toEqual({
      found: { status: 400, message: `key: "${key.slice(0, 200)}" is not valid; use namespace/name` },
      ...{ reviewed: [], asked: [] },
    });
  expect((await view(ConfigMap, `a/${"b".repeat(518)}`)).found).toMatchObject({ status: 200 });
  expect((await view(undefined, "a/b")).found).toEqual({
    status: 404,
    message: "the controller mirror has no kind",
  });
});

it("shows an object without secrets, and Events with time, count and message", async () => {
  const event = { metadata: { creationTimestamp: "2026-01-01T00:00:01Z" } };
  const items = [
    {
      ...event,
      type: "Normal",
      reason: "A",
      message: "m".repeat(1_001),
      count: 2,
      lastTimestamp: "2026-01-01T00:00:02Z",
    },
    { ...event, eventTime: "2026-01-01T00:00:03Z", series: { count: 7, lastObservedTime: "2026-01-01T00:00:04Z" } },
    { ...event, eventTime: "2026-01-01T00:00:03Z" },
    event,
  ];
  const { found, reviewed, asked } = await view(Deployment, "web/shop", {
    answer: ({ url }) =>
      url.includes("/events")
        ? { body: { kind: "EventList", apiVersion: "v1", metadata: {}, items } }
        : { body: { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "shop" }, spec: { password: "x" } } },
  });
  expect(found).toEqual({
    status: 200,
    object: {
      ...{ apiVersion: "apps/v1", kind: "Deployment" },
      ...{ metadata: { name: "shop", annotations: {} }, spec: { password: "(hidden)" } },
    },
    events: [
      { atMs: Date.UTC(2026, 0, 1, 0, 0, 2), type: "Normal", reason: "A", message: "m".repeat(1_000), count: 2 },
      { atMs: Date.UTC(2026, 0, 1, 0, 0, 4), type: "", reason: "", message: "", count: 7 },
      { atMs: Date.UTC(2026, 0, 1, 0, 0, 3), type: "", reason: "", message: "", count: 1 },
      { atMs: Date.UTC(2026, 0, 1, 0, 0, 1), type: "", reason: "", message: "", count: 1 },
    ],
  });
  const events = { verb: "list", group: "", version: "v1", resource: "events", namespace: "web", name: "" };
  expect(reviewed[1]).toEqual(events);
  expect(asked[0]).toBe("/apis/apps/v1/namespaces/web/deployments/shop");
  const query = new URL(asked[1] ?? "", "http://a").searchParams;
  expect([query.get("fieldSelector"), query.get("limit")]).toEqual([
    "involvedObject.kind=Deployment,involvedObject.name=shop",
    "100",
  ]);
});

it("shows no Events if the viewer or the program may not list them, and no deleted object", async () => {
  const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n" } };
  const shown = { status: 200, object: { ...node, metadata: { name: "n", annotations: {} } } };
  const may = ({ resource }: ObjectAccess) => resource === "nodes";
  const answer = ({ url }: ReceivedRequest) =>
    url.includes("/events") ? { status: 403, body: status404 } : { body: node };
  const refused = await view(Node, "n", { may, answer });
  expect([refused.found, refused.asked]).toEqual([shown, ["/api/v1/nodes/n"]]);
  expect(refused.reviewed[1]).toMatchObject({ resource: "events", namespace: "default" });
  expect((await view(Node, "n", { answer })).found).toEqual(shown);
  expect((await view(Node, "n", { may })).found).toEqual({ status: 200 });
  const broken = view(Node, "n", {
    answer: () => ({ status: 400, body: { ...status404, reason: "BadRequest", code: 400 } }),
  });
  expect((await broken).found).toMatchObject({
    status: 502,
    message: expect.stringMatching(/^cannot read the object: /),
  });
});
