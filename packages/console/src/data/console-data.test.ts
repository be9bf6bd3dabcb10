import { describedResource } from "@kubewright/apimachinery";
import { ConfigMap, Deployment } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import type { Manager } from "@kubewright/manager";
import { expect, it } from "vitest";
import type { Gate, ListedKind, Viewer } from "../security/gate.ts";
import { ConsoleData } from "./console-data.ts";
import { History } from "./history.ts";
import { Panels } from "./panels.ts";
import type { Permissions } from "./permissions.ts";

const local: Viewer = { type: "local", session: "s" };
const user: Viewer = { type: "user", user: { username: "ann" } };
const { signal } = new AbortController();
const changes = { fields: [{ path: ["data", "size"], before: "1", after: "2" }], isCut: false };
const cause = { source: "ConfigMap", type: "update", key: "default/a", resourceVersion: "7", changes };
const controller = {
  ...{ queueLength: 1, running: 0, held: 0, failing: 1, maxConcurrentReconciles: 1, hasStarted: true },
  ...{ hasSynced: true, gaveUp: 0, paused: 0, hung: 0, unsynced: [], hungAfterMs: 30_000 },
  totals: { reconciles: 1, errors: 1, busyMs: 1 },
  queue: {
    rows: [
      { key: "default/a", state: "failing", causes: [cause], requeues: 1, failure: { error: "token=x no", times: 1 } },
    ],
    ...{ total: 1, isWhole: true },
  },
  reconciles: [
    {
      ...{ key: "default/a", causes: [cause], error: "password: x", writes: [{ verb: "get", error: "psk=x y" }] },
      lines: [{ level: "info", text: "sent token=x to default/a" }],
    },
  ],
};
const caches = [
  { name: "v1, Kind=ConfigMap", lastError: "configmaps default/a: token=x" },
  { name: "apps/v1, Kind=Deployment", lastError: "deployments default/b" },
  { name: "example.com/v1, Kind=Shop", lastError: "shops default/c" },
  { name: "v1, Kind=Pod" },
];

/** Returns data for a viewer who may list the given kinds. */
function start(...listed: readonly string[]) {
  return startWith([], ...listed);
}

function startWith(moreCaches: readonly object[], ...listed: readonly string[]) {
  const asked: ListedKind[] = [];
  const gotten = listed.filter((one) => one.includes(" "));
  const gate = {
    mayList: async (viewer: Viewer, kind: ListedKind) => {
      asked.push(kind);
      return viewer.type === "local" || listed.includes(kind.resource);
    },
    mayAct: () => Promise.reject(new Error("the API server does not respond")),
    maySee: async (viewer: Viewer, { verb, resource, name }: { verb: string; resource: string; name: string }) =>
      viewer.type === "local" || gotten.includes(`${verb} ${resource} ${name}`),
  };
  const inspected: string[] = [];
  const inspections = [
    { name: "mirror", group: "others", state: controller },
    { name: "loose", group: "others", state: controller },
    { name: "cache", group: "caches", state: { kinds: [...caches, ...moreCaches] } },
  ];
  const manager = {
    inspect: (only?: { readonly key?: string }) => {
      if (only?.key !== undefined) inspected.push(only.key);
      return inspections;
    },
    describe: () => ({
      controllers: [
        { name: "mirror", for: describedResource(ConfigMap), owns: [], watches: [describedResource(Deployment)] },
        { name: "loose", owns: [], watches: [] },
      ],
      webhooks: [],
    }),
    leadership: {},
    unfenced: { apiReader: { get: async () => ({ metadata: { name: "a" } }), list: async () => [] } },
    cache: { inspectObject: () => ({ state: "unknown" }) },
  };
  const clock = new FakeClock();
  const data = new ConsoleData({
    manager: manager as unknown as Manager,
    clock,
    gate: gate as unknown as Gate,
    history: new History(),
    panels: new Panels(clock),
    permissions: {} as Permissions,
  });
  const answer = async (viewer: Viewer, path: string): Promise<unknown> => {
    const url = new URL(path, "http://a/");
    return data.answer(url.pathname.slice(1).split("/"), url.searchParams, { viewer, signal });
  };
  return { answer, asked, data, inspected, inspections };
}

it("shows errors of a cache only to viewers who may list its kind", async () => {
  const not = "hidden: you may not list this kind";
  const { answer, asked, data } = start("configmaps");
  const errors = ["configmaps default/a: token=(hidden)", not, not, undefined];
  const { value } = Object(await answer(user, "caches"));
  expect(value.map(({ lastError }: { lastError: unknown }) => lastError)).toEqual(errors);
  expect(asked).toEqual([
    { group: "", version: "v1", resource: "configmaps" },
    { group: "apps", version: "v1", resource: "deployments" },
  ]);
  expect(Object(await answer(user, "overview")).value.caches).toEqual(value);
  const own = Object(await answer(local, "caches")).value;
  expect(own.map(({ lastError }: { lastError: unknown }) => lastError)).toEqual([
    ...["configmaps default/a: token=(hidden)", "deployments default/b", "shops default/c", undefined],
  ]);
  expect(JSON.stringify(data.tick())).not.toContain("default/");
});

it("hides secrets in errors", async () => {
  const { answer } = start("configmaps");
  for (const viewer of [local, user]) {
    const queue = JSON.stringify(await answer(viewer, "queues/mirror"));
    const reconciles = JSON.stringify(await answer(viewer, "reconciles?controller=mirror"));
    expect(queue).toContain("token=(hidden) no");
    expect(reconciles).toContain("password: (hidden)");
    expect(reconciles).toContain("psk=(hidden) y");
    expect(reconciles).toContain("token=(hidden) no");
    expect(reconciles).toContain("sent token=(hidden) to default/a");
  }
});

it("shows the changes of a cause, and their values only to viewers who may get its object", async () => {
  const shown = [{ path: "data.size", before: "1", after: "2" }];
  const causes = async (viewer: Viewer, ...may: readonly string[]) => {
    const answer = await start("configmaps", ...may).answer(viewer, "reconciles?controller=mirror&key=default/a");
    return Object(answer).value.reconciles[0].causes;
  };
  expect(await causes(user)).toEqual([{ source: "ConfigMap", type: "update", key: "default/a", resourceVersion: "7" }]);
  expect(await causes(user, "get configmaps a")).toMatchObject([{ changes: { fields: shown } }]);
  expect(await causes(local)).toMatchObject([{ changes: { fields: shown } }]);
  const [one] = controller.reconciles;
  const { answer, inspections } = start();
  Object.assign(inspections[0] ?? {}, { state: { ...controller, reconciles: Array.from({ length: 60 }, () => one) } });
  const { value } = Object(await answer(local, "reconciles?controller=mirror&key=default/a"));
  const changed = value.reconciles.filter(({ causes: [first] }: { causes: object[] }) => "changes" in (first ?? {}));
  expect([value.reconciles.length, changed.length]).toEqual([60, 40]);
});

it("shows an object without actions if the API server does not decide about them", async () => {
  expect(await start().answer(local, "objects/mirror?key=default/a")).toMatchObject({
    value: { object: { metadata: { name: "a" } }, mayAct: false },
  });
});

it("inspects a key only for viewers who may see it, because an inspection changes what is recorded", async () => {
  const { answer, inspected } = start();
  expect(await answer(user, "reconciles?controller=mirror&key=default/a")).toMatchObject({ refused: 403 });
  expect(inspected).toEqual([]);
  await answer(local, "reconciles?controller=mirror&key=default/a");
  expect(inspected).toEqual(["default/a"]);
});

it("does not mistake the kind of a controller for a kind that is not served", async () => {
  const verdict = async (name: string) => {
    const { answer } = startWith([{ name, isUnserved: true }]);
    return Object(await answer(local, "reconciles?controller=mirror&key=default/a")).value.verdict.text;
  };
  expect(await verdict("v1, Kind=ConfigMapSet")).not.toContain("does not serve");
  expect(await verdict("v1, Kind=ConfigMap (metadata)")).toContain("does not serve ConfigMap");
});

it("shows objects of a controller without a kind only locally", async () => {
  const { answer, asked } = start("configmaps");
  const why = "the controller loose has no kind, so no permission allows seeing its objects";
  expect(await answer(user, "queues/loose")).toMatchObject({
    value: { failing: 1, queue: { rows: [], total: 1 }, refused: why },
  });
  expect(await answer(user, "reconciles?controller=loose&key=default/a")).toEqual({ refused: 403, message: why });
  expect(asked).toEqual([]);
  expect(await answer(local, "queues/loose")).toMatchObject({ value: { queue: { rows: [{ key: "default/a" }] } } });
});

it("checks permission for one key in its namespace, and for an invalid key only cluster-wide", async () => {
  const { answer, asked } = start();
  const kind = { group: "", version: "v1", resource: "configmaps" };
  for (const key of ["web/a", "a", "a/b/c"]) await answer(user, `reconciles?controller=mirror&key=${key}`);
  expect(asked).toEqual([kind, { ...kind, namespace: "web" }, kind, kind]);
});
