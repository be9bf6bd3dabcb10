import { describe, expect, it } from "vitest";
import type { AuthorizationAttributes } from "./authorizer.ts";
import { type Binding, RbacAuthorizer, type RbacSource } from "./rbac.ts";

const reads = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (kind: string, name: string, namespace?: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  rules: [reads(name)],
});
type Subject = NonNullable<Binding["subjects"]>[number];
const binding = (namespace: string | undefined, ref: string, name: string, ...subjects: Subject[]): Binding => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: namespace ? "RoleBinding" : "ClusterRoleBinding",
  metadata: { name: `of-${name}`, ...(namespace ? { namespace } : {}) },
  subjects,
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: ref, name },
});
const user = (name: string): Subject => ({ kind: "User", name });

function authorizer(bindings: readonly Binding[]): RbacAuthorizer {
  const source: RbacSource = {
    role: async (namespace, name) =>
      namespace === "default" && name !== "gone" ? role("Role", name, namespace) : undefined,
    clusterRole: async (name) => (name === "gone" ? undefined : role("ClusterRole", name)),
    roleBindings: async (namespace) => bindings.filter((each) => each.metadata.namespace === namespace),
    clusterRoleBindings: async () => bindings.filter((each) => each.metadata.namespace === undefined),
  };
  return new RbacAuthorizer(source);
}

const asked = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  user: { name: "jane", groups: ["dev"] },
  verb: "get",
  isResourceRequest: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: "web",
  ...more,
});
const decide = (bindings: readonly Binding[], more: Partial<AuthorizationAttributes> = {}) =>
  authorizer(bindings).authorize(asked(more));
const account = (name: string) => ({ user: { name, groups: [] } });

describe("a binding", () => {
  it.each<[string, Binding, Partial<AuthorizationAttributes>, string | undefined]>([
    [
      "of the cluster to a user",
      binding(undefined, "ClusterRole", "pods", user("jane")),
      {},
      'ClusterRoleBinding "of-pods" of ClusterRole "pods" to User "jane"',
    ],
    [
      "of the cluster, without a namespace",
      binding(undefined, "ClusterRole", "pods", user("jane")),
      { namespace: "" },
      'ClusterRoleBinding "of-pods" of ClusterRole "pods" to User "jane"',
    ],
    ["to another user", binding(undefined, "ClusterRole", "pods", user("carl")), {}, undefined],
    [
      "to a group",
      binding(undefined, "ClusterRole", "pods", user("carl"), { kind: "Group", name: "dev" }),
      {},
      'ClusterRoleBinding "of-pods" of ClusterRole "pods" to Group "dev"',
    ],
    ["to another group", binding(undefined, "ClusterRole", "pods", { kind: "Group", name: "jane" }), {}, undefined],
    ["to something else", binding(undefined, "ClusterRole", "pods", { kind: "Robot", name: "jane" }), {}, undefined],
    ["to no subject", { ...binding(undefined, "ClusterRole", "pods"), subjects: [] }, {}, undefined],
    ["of another rule", binding(undefined, "ClusterRole", "secrets", user("jane")), {}, undefined],
    [
      "of a namespace",
      binding("default", "Role", "pods", user("jane")),
      {},
      'RoleBinding "of-pods/default" of Role "pods" to User "jane"',
    ],
    [
      "of a namespace to a role of the cluster",
      binding("default", "ClusterRole", "pods", user("jane")),
      {},
      'RoleBinding "of-pods/default" of ClusterRole "pods" to User "jane"',
    ],
    ["of another namespace", binding("other", "ClusterRole", "pods", user("jane")), {}, undefined],
    [
      "of a namespace, asked for the cluster",
      binding("default", "ClusterRole", "pods", user("jane")),
      { namespace: "" },
      undefined,
    ],
    [
      "to a service account",
      binding(undefined, "ClusterRole", "pods", { kind: "ServiceAccount", name: "robot", namespace: "kube-system" }),
      account("system:serviceaccount:kube-system:robot"),
      'ClusterRoleBinding "of-pods" of ClusterRole "pods" to ServiceAccount "robot/kube-system"',
    ],
    [
      "to another namespace's service account",
      binding("default", "ClusterRole", "pods", { kind: "ServiceAccount", name: "robot", namespace: "kube-system" }),
      account("system:serviceaccount:default:robot"),
      undefined,
    ],
    [
      "to a service account in the binding's namespace",
      binding("default", "Role", "pods", { kind: "ServiceAccount", name: "robot" }),
      account("system:serviceaccount:default:robot"),
      'RoleBinding "of-pods/default" of Role "pods" to ServiceAccount "robot/default"',
    ],
    [
      "of the cluster to a service account of no namespace",
      binding(undefined, "ClusterRole", "pods", { kind: "ServiceAccount", name: "robot" }),
      account("system:serviceaccount::robot"),
      undefined,
    ],
  ])("%s", async (_what, one, more, reason) => {
    expect(await decide([one], more)).toEqual(
      reason ? { decision: "allow", reason: `RBAC: allowed by ${reason}` } : { decision: "no opinion" },
    );
  });

  it("without subjects applies to nobody", async () => {
    const { subjects: _, ...without } = binding(undefined, "ClusterRole", "pods");
    expect(await decide([without])).toEqual({ decision: "no opinion" });
  });

  it("to a missing role is reported once", async () => {
    const gone = [
      binding(undefined, "ClusterRole", "gone", user("jane")),
      binding("default", "Role", "gone", user("jane")),
    ];
    const [cluster, own] = [
      'clusterrole.rbac.authorization.k8s.io "gone" not found',
      'role.rbac.authorization.k8s.io "gone" not found',
    ];
    expect(await decide([...gone.slice(0, 1), ...gone.slice(0, 1)])).toEqual({
      decision: "no opinion",
      reason: `RBAC: ${cluster}`,
    });
    expect(await decide(gone)).toEqual({ decision: "no opinion", reason: `RBAC: [${cluster}, ${own}]` });
    expect(await decide([...gone, binding("default", "Role", "pods", user("jane"))])).toMatchObject({
      decision: "allow",
    });
  });
});

it("lists the rules of a user, cluster-wide ones first, and missing roles", async () => {
  const one = authorizer([
    binding("default", "Role", "pods", user("jane")),
    binding("default", "Role", "gone", user("jane")),
    binding("default", "Role", "secrets", user("carl")),
    binding(undefined, "ClusterRole", "nodes", user("jane")),
  ]);
  const { user: jane } = asked();
  expect(await one.rulesFor(jane, "default")).toEqual({
    rules: [reads("nodes"), reads("pods")],
    incomplete: false,
    error: 'role.rbac.authorization.k8s.io "gone" not found',
  });
  expect(await one.rulesFor(jane, "")).toEqual({ rules: [reads("nodes")], incomplete: false });
});

it("returns the rules of a binding's role", async () => {
  const one = authorizer([]);
  expect(await one.rulesOf({ kind: "Role", name: "pods" }, "default")).toEqual([reads("pods")]);
  expect(await one.rulesOf({ kind: "Role", name: "pods" }, "other")).toBeUndefined();
  expect(await one.rulesOf({ kind: "ClusterRole", name: "pods" }, "other")).toEqual([reads("pods")]);
});
