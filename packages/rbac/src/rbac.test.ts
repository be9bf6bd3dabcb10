import type { DescribedResource, Permission } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { type Grant, rulesOf } from "./grants.ts";
import { neededAccess } from "./needed-access.ts";
import { type ObservedCall, observedPermissions } from "./observed.ts";
import { observedText, parseObserved } from "./observed-file.ts";
import type { ProgramDescription } from "./program-description.ts";
import { type RbacOptions, rbacOf } from "./program-roles.ts";
import { recordedPermissions } from "./recorded.ts";

const site: DescribedResource = {
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  plural: "sites",
  scope: "Namespaced",
};
const deployment: DescribedResource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
};
const node: DescribedResource = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };
const shop: ProgramDescription = {
  name: "shop",
  kinds: [{ ...site, crd: {} }],
  controllers: [{ name: "site", for: site, owns: [deployment], watches: [node] }],
  webhooks: [],
  permissions: [{ group: "", resource: "secrets", verbs: ["get"], resourceNames: ["license"] }],
  caches: [],
  leaderElection: { id: "shop.example.com" },
  events: "events.k8s.io",
  metrics: { isAuthenticated: true },
};
const rulesIn = (description: ProgramDescription, file: string, observed?: readonly Permission[]) =>
  (rbacOf(description, { observed }).objects.get(file) ?? []).map(({ kind, metadata, rules }) => ({
    at: `${kind} ${metadata.namespace ?? ""}`.trim(),
    rules,
  }));

describe("the role of a program", () => {
  it("grants reads of controllers, writes of their main kind, and declared permissions", () => {
    expect(rulesIn(shop, "role.yaml")).toEqual([
      {
        at: "ClusterRole",
        rules: [
          { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
          { apiGroups: [""], resources: ["secrets"], resourceNames: ["license"], verbs: ["get"] },
          { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
          { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
          { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get", "list", "watch"] },
          { apiGroups: ["shop.example.com"], resources: ["sites/finalizers"], verbs: ["update"] },
          { apiGroups: ["shop.example.com"], resources: ["sites/status"], verbs: ["get", "patch", "update"] },
        ],
      },
    ]);
  });

  it("grants no writes of external kinds unless declared", () => {
    const others = { ...shop, kinds: [], permissions: [], events: undefined };
    const resources = (description: ProgramDescription) => JSON.stringify(rulesIn(description, "role.yaml"));
    expect(resources(others)).not.toMatch(/status|finalizers/);
    const [controller] = shop.controllers;
    const writes = { status: true, finalizers: false };
    const granted = resources({
      ...others,
      controllers: [{ name: "x", owns: [], watches: [], ...controller, writes }],
    });
    expect(granted).toContain("sites/status");
    expect(granted).not.toContain("finalizers");
  });

  it("grants observed permissions, and lists declared ones that were not observed", () => {
    const observed: Permission[] = [
      { group: "apps", resource: "deployments", verbs: ["create"] },
      { group: "", resource: "secrets", verbs: ["get"], resourceNames: ["license"] },
    ];
    const [role] = rulesIn(shop, "role.yaml", observed);
    expect(role?.rules).toContainEqual({
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: ["create", "get", "list", "watch"],
    });
    expect(rbacOf(shop, { observed }).excess).toEqual([]);
    expect(rbacOf(shop, { observed: [] }).excess).toEqual(["get secrets license"]);
    const bind = { group: "rbac.authorization.k8s.io", resource: "clusterroles", verbs: ["bind"] };
    const binding = { ...shop, permissions: [...shop.permissions, bind] };
    expect(rbacOf(binding, { observed: [] }).excess).toEqual(["get secrets license"]); // this verb never occurs in requests
    expect(rbacOf(shop).excess).toEqual([]);
  });

  it("is a Role in each namespace of the cache, except for cluster-scoped resources", () => {
    const limited = rulesIn({ ...shop, caches: [{ namespaces: ["a", "b"] }] }, "role.yaml");
    expect(limited.map(({ at }) => at).sort()).toEqual(["ClusterRole", "Role a", "Role b"]);
    expect(limited.find(({ at }) => at === "ClusterRole")?.rules).toEqual([
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
    ]);
    const ofOne = { resources: [{ group: "apps", plural: "deployments" }], namespaces: ["c"] };
    const mixed = rulesIn({ ...shop, caches: [ofOne] }, "role.yaml").find(({ at }) => at === "Role c");
    expect(mixed?.rules).toEqual([
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
    ]);
  });

  it("is bound in the same namespace", () => {
    const { objects } = rbacOf({ ...shop, caches: [{ namespaces: ["a"] }] });
    const places = (file: string) =>
      objects.get(file)?.map(({ kind, metadata }) => [kind.replace("Binding", ""), metadata.namespace]);
    expect(places("role_binding.yaml")).toEqual(places("role.yaml"));
  });

  it("limits the lease by name, and allows reviews for metrics", () => {
    expect(rulesIn(shop, "leader_election_role.yaml")).toEqual([
      {
        at: "Role system",
        rules: [
          { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
          {
            apiGroups: ["coordination.k8s.io"],
            resources: ["leases"],
            resourceNames: ["shop.example.com"],
            verbs: ["get", "update"],
          },
          { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
        ],
      },
    ]);
    expect(rulesIn(shop, "metrics_auth_role.yaml")[0]?.rules).toEqual([
      { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
      { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    ]);
    const bare = rbacOf({ ...shop, leaderElection: undefined, metrics: { isAuthenticated: false } }).objects;
    expect([...bare.keys()].filter((name) => /leader|metrics/.test(name))).toEqual([]);
  });

  it("may list and delete Leases for sharding", () => {
    expect(rulesIn({ ...shop, sharding: {} }, "sharding_role.yaml")).toEqual([
      {
        at: "Role system",
        rules: [
          {
            apiGroups: ["coordination.k8s.io"],
            resources: ["leases"],
            verbs: ["create", "delete", "get", "list", "update"],
          },
        ],
      },
    ]);
    expect(rulesIn({ ...shop, sharding: { namespace: "other" } }, "sharding_role.yaml")[0]?.at).toBe("Role other");
    expect(rulesIn(shop, "sharding_role.yaml")).toEqual([]);
    const lease = { group: "coordination.k8s.io", resource: "leases", namespace: "shop-system" };
    expect(neededAccess({ ...shop, sharding: {} }, "shop-system")).toContainEqual({ ...lease, verb: "list" });
  });

  it("may list namespaces if it divides them into shards", () => {
    const listed = { group: "", resource: "namespaces", verb: "list" };
    const needed = (byNamespace: boolean) => neededAccess({ ...shop, sharding: { byNamespace } }, "shop-system");
    expect(needed(true)).toContainEqual(listed);
    expect(needed(false)).not.toContainEqual(listed);
  });

  it("may read its pods if its leader removes webhooks", () => {
    const certificates = {
      secret: { namespace: "system", name: "shop-webhook" },
      service: { namespace: "system", name: "shop-webhook-service" },
      ...{ mutatingWebhookConfigurations: [], validatingWebhookConfigurations: [], customResourceDefinitions: [] },
    };
    const roles = rulesIn({ ...shop, controllers: [], permissions: [], events: undefined, certificates }, "role.yaml");
    expect(roles).toEqual([
      {
        at: "Role system",
        rules: [
          { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
          { apiGroups: [""], resources: ["secrets"], resourceNames: ["shop-webhook"], verbs: ["get", "update"] },
          { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
        ],
      },
    ]);
  });

  it("may inject only its own certificates", () => {
    const certificates = {
      secret: { namespace: "system", name: "shop-webhook" },
      mutatingWebhookConfigurations: ["shop-mutating"],
      validatingWebhookConfigurations: [],
      customResourceDefinitions: ["sites.shop.example.com"],
    };
    const roles = rulesIn({ ...shop, controllers: [], permissions: [], events: undefined, certificates }, "role.yaml");
    expect(roles).toEqual([
      {
        at: "ClusterRole",
        rules: [
          {
            apiGroups: ["admissionregistration.k8s.io"],
            resources: ["mutatingwebhookconfigurations"],
            resourceNames: ["shop-mutating"],
            verbs: ["get", "patch"],
          },
          {
            apiGroups: ["apiextensions.k8s.io"],
            resources: ["customresourcedefinitions"],
            resourceNames: ["sites.shop.example.com"],
            verbs: ["get", "patch"],
          },
        ],
      },
      {
        at: "Role system",
        rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["shop-webhook"], verbs: ["get", "update"] }],
      },
    ]);
  });

  it.each<[Permission, string]>([
    [
      { group: "", resource: "*", verbs: ["get"] },
      'permission *: resource: "*": wildcards are not allowed; list the values instead',
    ],
    [{ group: "*", resource: "pods", verbs: ["get"] }, 'group: "*"'],
    [{ group: "", resource: "pods", verbs: ["*"] }, 'permission pods: verbs: "*"'],
    [{ group: "", resource: "pods", verbs: [] }, "permission pods must contain a verb"],
    [{ group: "", resource: "", verbs: ["get"] }, "a permission must contain a resource"],
  ])("refuses wildcards and empty permissions (%#)", (permission, message) => {
    expect(() => rbacOf({ ...shop, permissions: [permission] })).toThrow(message);
  });
});

describe("roles of users", () => {
  it("are three per kind, for any number of versions", () => {
    const { objects } = rbacOf({ ...shop, kinds: [...shop.kinds, { ...site, version: "v1beta1", crd: {} }] });
    expect([...objects.keys()].filter((name) => name.startsWith("site_"))).toEqual([
      "site_admin_role.yaml",
      "site_editor_role.yaml",
      "site_viewer_role.yaml",
    ]);
    const [viewer] = objects.get("site_viewer_role.yaml") ?? [];
    expect(viewer?.metadata.name).toBe("site-viewer-role");
    expect(viewer?.rules).toEqual([
      { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["shop.example.com"], resources: ["sites/status"], verbs: ["get"] },
    ]);
  });
});

describe("annotations", () => {
  it("are set on the intended roles", () => {
    const { objects } = rbacOf(shop, { annotations: { manager: { buckets: "all" }, viewer: { buckets: "none" } } });
    const annotationsOf = (path: string) => objects.get(path)?.map(({ metadata }) => metadata.annotations);
    expect(annotationsOf("role.yaml")).toContainEqual({ buckets: "all" });
    expect(annotationsOf("site_viewer_role.yaml")).toEqual([{ buckets: "none" }]);
    expect(annotationsOf("site_editor_role.yaml")).toEqual([undefined]);
    expect(annotationsOf("leader_election_role.yaml") ?? [undefined]).toEqual([undefined]);
  });
});

describe("rules", () => {
  it("grant all permissions with the fewest rules", () => {
    const grants: Grant[] = ["get", "list"].flatMap((verb) =>
      ["pods", "services"].map((resource) => ({ group: "", resource, verb })),
    );
    expect(rulesOf(grants)).toEqual([{ apiGroups: [""], resources: ["pods", "services"], verbs: ["get", "list"] }]);
    expect(rulesOf(grants.toReversed())).toEqual(rulesOf(grants));
    const named = [{ group: "", resource: "pods", verb: "get", name: "a" }];
    expect(rulesOf([...grants, ...named])).toEqual(rulesOf(grants));
  });
});

describe("recorded permissions", () => {
  it("are limited to one object if all requests concerned it and its kind has no controller", () => {
    const calls = [
      { group: "", resource: "secrets", verb: "get", name: "license" },
      { group: "", resource: "secrets", verb: "get", name: "license" },
      { group: "", resource: "configmaps", verb: "update", name: "a" },
      { group: "", resource: "configmaps", verb: "update", name: "b" },
      { group: "", resource: "configmaps", verb: "create", name: "a" },
      { group: site.group, resource: "sites/status", verb: "patch", name: "north" },
      { group: "apps", resource: "deployments", verb: "list" },
    ];
    expect(observedPermissions(calls, shop)).toEqual([
      { group: "", resource: "configmaps", verbs: ["create"] },
      { group: "", resource: "configmaps", verbs: ["update"] },
      { group: "", resource: "secrets", verbs: ["get"], resourceNames: ["license"] },
      { group: "apps", resource: "deployments", verbs: ["list"] },
      { group: site.group, resource: "sites/status", verbs: ["patch"] },
    ]);
  });

  it.each(["get", "update", "patch", "delete"])("limit %s to a name that all requests share", (verb) => {
    const calls = (...names: (string | undefined)[]) =>
      names.map((name) => ({ group: "", resource: "pods", verb, name }));
    const permission = { group: "", resource: "pods", verbs: [verb] };
    expect(observedPermissions(calls("a", "a"), shop)).toEqual([{ ...permission, resourceNames: ["a"] }]);
    for (const names of [["a", "b"], ["a", undefined], [undefined]])
      expect(observedPermissions(calls(...names), shop)).toEqual([permission]);
  });

  it.each(["create", "list", "watch", "deletecollection"])("do not limit %s to a name", (verb) => {
    const [permission] = observedPermissions([{ group: "", resource: "pods", verb, name: "a" }], shop);
    expect(permission).toEqual({ group: "", resource: "pods", verbs: [verb] });
  });

  const keep = (calls: readonly ObservedCall[], before: readonly Permission[] = [], program = shop) =>
    recordedPermissions(before, calls, program);

  it("leave out permissions that follow from the description, and names derived from objects", () => {
    const calls = [
      { group: site.group, resource: "sites/status", verb: "patch", name: "north" },
      { group: "", resource: "configmaps", verb: "update", name: "north-page" },
      { group: "apps", resource: "deployments", verb: "list" },
      { group: "apps", resource: "deployments", verb: "delete", name: "x" },
      { group: "events.k8s.io", resource: "events", verb: "patch", name: "north.17a" },
      { group: "authorization.k8s.io", resource: "selfsubjectaccessreviews", verb: "create" },
    ];
    const kept = [
      { group: "", resource: "configmaps", verbs: ["update"] },
      { group: "apps", resource: "deployments", verbs: ["delete"] },
    ];
    expect(keep(calls, [], { ...shop, events: "events.k8s.io" })).toEqual(kept);
    expect(keep(calls.toReversed(), kept, { ...shop, events: "events.k8s.io" })).toEqual(kept);
  });

  it("are merged with earlier ones, and keep a name while it is the only one", () => {
    const first = keep([{ group: "", resource: "configmaps", verb: "get", name: "settings" }]);
    expect(first).toEqual([{ group: "", resource: "configmaps", verbs: ["get"], resourceNames: ["settings"] }]);
    expect(keep([], first)).toEqual(first);
    expect(keep([{ group: "", resource: "configmaps", verb: "get", name: "other" }], first)).toEqual([
      { group: "", resource: "configmaps", verbs: ["get"] },
    ]);
  });

  it("aggregate roles for people into the cluster's roles, except viewers of kinds with secrets", () => {
    const labelOf = (file: string, options: RbacOptions): string[] =>
      Object.keys(rbacOf(shop, options).objects.get(file)?.[0]?.metadata.labels ?? {}).filter((name) =>
        name.startsWith("rbac.authorization.k8s.io/"),
      );
    const labels = (options: RbacOptions): string[] =>
      ["admin", "editor", "viewer"].flatMap((user) => labelOf(`site_${user}_role.yaml`, options));
    const [admin, edit, view] = ["admin", "edit", "view"].map((to) => `rbac.authorization.k8s.io/aggregate-to-${to}`);
    expect(labels({})).toEqual([]);
    expect(labels({ aggregate: true })).toEqual([admin, edit, view]);
    expect(labels({ aggregate: true, notInView: ["Site"] })).toEqual([admin, edit]);
    expect(() => rbacOf(shop, { notInView: ["Sit"] })).toThrow(
      'notInView: "Sit" is not one of the program\'s kinds; choose one of Site',
    );
  });

  it("move selected resources to separate roles", () => {
    const reads = { group: "", resource: "secrets", verbs: ["get", "list"] };
    const program = { ...shop, permissions: [...shop.permissions, reads] };
    const options = { apart: { "secret-reader": ["secrets"] } };
    const rulesOfFile = (file: string) => rbacOf(program, options).objects.get(file)?.[0]?.rules;
    expect(rulesOfFile("secret_reader_role.yaml")).toEqual([
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] },
    ]);
    expect(rbacOf(program, options).objects.get("secret_reader_role_binding.yaml")?.[0]).toMatchObject({
      kind: "ClusterRoleBinding",
      roleRef: { kind: "ClusterRole", name: "secret-reader-role" },
    });
    const own = JSON.stringify(rulesOfFile("role.yaml"));
    expect(own).toContain('"resourceNames":["license"]');
    expect(own).not.toContain('"resources":["secrets"],"verbs":["get","list"]');
    expect(neededAccess(program, "there", options)).toEqual(neededAccess(program, "there"));
    expect(() => rbacOf(program, { apart: { reader: ["pods"] } })).toThrow(
      'apart.reader: "pods": the program has no cluster-wide permission for this resource',
    );
  });

  it("mark cluster-scoped resources if a program is limited to namespaces", () => {
    const calls = [
      { group: "", resource: "nodes", verb: "patch", isClusterWide: true },
      { group: "", resource: "pods", verb: "delete", isClusterWide: false },
    ];
    const limited = { ...shop, caches: [{ namespaces: ["a"] }] };
    const kept = keep(calls, [], limited);
    expect(kept.map(({ resource, scope }) => [resource, scope])).toEqual([
      ["nodes", "Cluster"],
      ["pods", undefined],
    ]);
    expect(keep([], kept, limited)).toEqual(kept);
  });

  it("round-trip through a file, and invalid files are refused with the location", () => {
    const kept = keep([{ group: "", resource: "configmaps", verb: "get", name: "settings" }]);
    expect(parseObserved(observedText(kept), "observed.json")).toEqual(kept);
    expect(() => parseObserved("{", "observed.json")).toThrow(/^observed\.json: .*; delete the file and record again$/);
    const wild = (one: object) =>
      JSON.stringify({ permissions: [{ group: "", resource: "pods", verbs: ["get"], ...one }] });
    for (const one of [{ verbs: ["*"] }, { resource: "*" }, { group: "*" }, { resource: "pods/*" }])
      expect(() => parseObserved(wild(one), "a")).toThrow("wildcards are never recorded");
    const texts = [
      ...[
        { group: 1 },
        { group: undefined },
        { resource: null },
        { resource: undefined },
        { verbs: "get" },
        { verbs: [1] },
      ],
      ...[{ verbs: undefined }, { resourceNames: "a" }, { resourceNames: [1] }, { scope: "Galaxy" }, { namespace: {} }],
    ];
    for (const one of texts)
      expect(() => parseObserved(wild(one), "a"), JSON.stringify(one)).toThrow("a: permissions[0]: ");
    for (const one of [null, "x", 1])
      expect(() => parseObserved(JSON.stringify({ permissions: [one] }), "a")).toThrow("a: permissions[0]: ");
    const limits = { resourceNames: ["a"], scope: "Cluster", namespace: "shop" };
    expect(parseObserved(wild(limits), "a")).toMatchObject([limits]);
    for (const text of ['{"permissions":3}', "[]", "{}", "null"])
      expect(() => parseObserved(text, "a")).toThrow("permissions must be a list");
  });
});

it("let the program authenticate console viewers, with a viewer account and a role for actions, neither for Secrets", () => {
  const Console: DescribedResource = { ...site, kind: "Console", plural: "consoles" };
  const kinds = [...shop.kinds, { ...Console, crd: {} }];
  const shown = { ...shop, kinds, console: { port: 8090, isSecure: false } };
  expect([...rbacOf(shop).objects.keys()].filter((path) => path.startsWith("console"))).toEqual([]);
  const { objects } = rbacOf(shown, { notInView: ["Console"] });
  expect(objects.get("console_auth_role.yaml")?.[0]?.rules).toEqual([
    { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  ]);
  expect(objects.get("console_reader_role.yaml")).toMatchObject([
    {
      kind: "ClusterRole",
      metadata: { name: "console-viewer" },
      rules: [
        { nonResourceURLs: ["/debug/kubewright/*"], verbs: ["get"] },
        { apiGroups: [""], resources: ["events"], verbs: ["list"] },
        { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get", "list"] },
      ],
    },
  ]);
  expect(objects.get("console_actions_role.yaml")).toMatchObject([
    {
      kind: "ClusterRole",
      metadata: { name: "console-editor" },
      rules: [
        { nonResourceURLs: ["/debug/kubewright/*"], verbs: ["get", "post"] },
        { apiGroups: [""], resources: ["events"], verbs: ["list"] },
        { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get", "list", "update"] },
      ],
    },
  ]);
  const bound = [...objects.values()].flat().map(({ roleRef }) => roleRef);
  expect(bound).toContainEqual(expect.objectContaining({ name: "console-viewer" }));
  expect(bound).not.toContainEqual(expect.objectContaining({ name: "console-editor" }));
  expect(objects.get("console_viewer.yaml")).toMatchObject([{ kind: "ServiceAccount" }]);
  expect(objects.get("console_reader_role_binding.yaml")).toMatchObject([
    { roleRef: { name: "console-viewer" }, subjects: [{ name: "console-viewer", namespace: "system" }] },
  ]);
  for (const user of ["viewer", "editor"]) {
    const [role] = objects.get(`console_${user}_role.yaml`) ?? [];
    expect(role?.metadata.name).toBe(`console-${user}-role`);
  }
  const needed = neededAccess(shown, "shop-system").map(({ verb, resource }) => `${verb} ${resource}`);
  expect(needed).toEqual(expect.arrayContaining(["create tokenreviews", "list events"]));
});
