import { get, type Json, patch, post, put, remove, type Sequence } from "../runner/sequence.ts";
import { configMap } from "./objects.ts";

const rbac = "rbac.authorization.k8s.io";
const authorization = "/apis/authorization.k8s.io/v1";
const bob = { as: "bob" };
const role = (name: string, rules: readonly object[]) => ({ metadata: { name }, rules });
const binding = (name: string, roleName: string, user = "bob") => ({
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: "Role", name: roleName },
  subjects: [{ apiGroup: rbac, kind: "User", name: user }],
});
/** Sorts the rules, because their order is random upstream. */
const sortedRules = ({ status, ...rest }: Json): unknown => ({
  ...rest,
  resourceRules: status.resourceRules.map((rule: unknown) => JSON.stringify(rule)).sort(),
  nonResourceRules: status.nonResourceRules.map((rule: unknown) => JSON.stringify(rule)).sort(),
});

const review = (spec: object) => ({ spec });

export const access: readonly Sequence[] = [
  {
    name: "rbac",
    steps: [
      get("denied get", "~/configmaps/a", bob),
      get("denied list", "~/configmaps", bob),
      get("denied list of all", "/api/v1/configmaps", bob),
      get("denied watch", "~/configmaps?watch=true", bob),
      post("denied create", "~/configmaps", configMap("a"), bob),
      put("denied update", "~/configmaps/a", configMap("a"), bob),
      patch("denied patch", "merge", "~/configmaps/a", {}, bob),
      remove("denied delete", "~/configmaps/a", undefined, bob),
      remove("denied delete of all", "~/configmaps", undefined, bob),
      get("denied subresource", "~/pods/p/status", bob),
      get("denied group", "apps~/deployments", bob),
      get("denied cluster resource", "/api/v1/nodes/n", bob),
      get("denied unknown resource", "~/nopes", bob),
      get("denied unknown path", "/nope", bob),
      get("discovery is for everybody", "/apis/apps", bob),
      get("version is for everybody", "/version", { ...bob, pick: () => "a version" }),
      post(
        "role",
        `${rbac}~/roles`,
        role("reader", [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"] }]),
      ),
      post("binding", `${rbac}~/rolebindings`, binding("readers", "reader")),
      post("made", "~/configmaps", configMap("a")),
      get("allowed", "~/configmaps/a", { ...bob, until: (body) => body.kind === "ConfigMap" }),
      get("another name", "~/configmaps/b", bob),
      get("list by name", "~/configmaps?fieldSelector=metadata.name%3Da", bob),
      get("list", "~/configmaps", bob),
      post("binding to nothing", `${rbac}~/rolebindings`, binding("ghosts", "ghost", "carol")),
      get("role that is missing", "~/configmaps/a", {
        as: "carol",
        until: (body) => body.message.includes("ghost"),
      }),
      post(
        "editor of roles",
        `${rbac}~/roles`,
        role("rbac-editor", [{ verbs: ["*"], apiGroups: [rbac], resources: ["roles", "rolebindings"] }]),
      ),
      post("binding of the editor", `${rbac}~/rolebindings`, binding("editors", "rbac-editor", "ed")),
      get("the editor may", `${rbac}~/roles/reader`, { as: "ed", until: (body) => body.kind === "Role" }),
      post(
        "escalation",
        `${rbac}~/roles`,
        role("more", [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }]),
        { as: "ed" },
      ),
      post("escalation by binding", `${rbac}~/rolebindings`, binding("more", "reader", "ed"), { as: "ed" }),
      post(
        "what one has",
        `${rbac}~/roles`,
        role("same", [{ verbs: ["get"], apiGroups: [rbac], resources: ["roles"] }]),
        { as: "ed" },
      ),
    ],
  },
  {
    name: "impersonation",
    steps: [
      get("two steps", "~/configmaps", {
        headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" },
      }),
      get("group alone", "~/configmaps", { headers: { "impersonate-group": "g" } }),
      get("service account", "~/configmaps", { as: "system:serviceaccount:impersonation:default" }),
      get("anonymous", "~/configmaps", { as: "system:anonymous" }),
    ],
  },
  {
    name: "reviews",
    steps: [
      post(
        "self",
        `${authorization}/selfsubjectaccessreviews`,
        review({ resourceAttributes: { verb: "get", resource: "pods", namespace: "reviews" } }),
      ),
      post(
        "self, denied",
        `${authorization}/selfsubjectaccessreviews`,
        review({ resourceAttributes: { verb: "get", resource: "pods", namespace: "reviews" } }),
        bob,
      ),
      post(
        "self, path",
        `${authorization}/selfsubjectaccessreviews`,
        review({ nonResourceAttributes: { verb: "get", path: "/api" } }),
        bob,
      ),
      post("self, nothing", `${authorization}/selfsubjectaccessreviews`, review({})),
      post(
        "self, both",
        `${authorization}/selfsubjectaccessreviews`,
        review({
          resourceAttributes: { verb: "get", resource: "pods" },
          nonResourceAttributes: { verb: "get", path: "/x" },
        }),
      ),
      post("self, no spec", `${authorization}/selfsubjectaccessreviews`, {}),
      post(
        "of bob",
        `${authorization}/subjectaccessreviews`,
        review({ user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "reviews" } }),
      ),
      post(
        "of masters",
        `${authorization}/subjectaccessreviews`,
        review({ groups: ["system:masters"], resourceAttributes: { verb: "*", resource: "*" } }),
      ),
      post(
        "of nobody",
        `${authorization}/subjectaccessreviews`,
        review({ resourceAttributes: { verb: "get", resource: "pods" } }),
      ),
      post("role", `${rbac}~/roles`, role("r", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }])),
      post("binding", `${rbac}~/rolebindings`, binding("rb", "r")),
      post(
        "of bob, allowed",
        `${authorization}/subjectaccessreviews`,
        review({ user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "reviews" } }),
        { until: (body) => body.status.allowed },
      ),
      post("local", `${authorization.replace("v1", "v1")}/namespaces/reviews/localsubjectaccessreviews`, {
        ...review({ user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "reviews" } }),
      }),
      post(
        "local, another namespace",
        `${authorization}/namespaces/reviews/localsubjectaccessreviews`,
        review({ user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "other" } }),
      ),
      post("rules", `${authorization}/selfsubjectrulesreviews`, review({ namespace: "reviews" }), {
        ...bob,
        pick: sortedRules,
      }),
      post("rules without namespace", `${authorization}/selfsubjectrulesreviews`, review({})),
      post("token", "/apis/authentication.k8s.io/v1/tokenreviews", review({ token: "nope" })),
      post("no token", "/apis/authentication.k8s.io/v1/tokenreviews", review({})),
      post("who am I", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
      post("who is bob", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, bob),
    ],
  },
  {
    name: "denied-names",
    steps: [post("escalation of nothing", "/apis/rbac.authorization.k8s.io/v1/clusterroles", role("denied", []), bob)],
  },
];
