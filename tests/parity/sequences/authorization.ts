import { apply, get, patch, post, put, type Sequence } from "../runner/sequence.ts";

const rbac = "rbac.authorization.k8s.io";
const cluster = `/apis/${rbac}/v1`;
const authorization = "/apis/authorization.k8s.io/v1";
const rule = (verbs: readonly string[], resources: readonly string[], apiGroups: readonly string[] = [""]) => ({
  verbs,
  apiGroups,
  resources,
});
const role = (name: string, ...rules: readonly object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, user = "ed") => ({
  metadata: { name },
  roleRef: { apiGroup: rbac, kind, name: to },
  subjects: [{ apiGroup: rbac, kind: "User", name: user }],
});
const ed = { as: "ed" };
const writing = ["get", "list", "create", "update", "patch", "delete"];
const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };

/** Returns the steps that give a user of the sequence a separate ClusterRole. */
const granted = (name: string, user: string, ...rules: readonly object[]) => [
  post(`role ${name}`, `${cluster}/clusterroles`, role(name, ...rules)),
  post(`binding ${name}`, `${cluster}/clusterrolebindings`, binding(name, "ClusterRole", name, user)),
];
const access = (id: string, spec: object, more: object = {}) =>
  post(id, `${authorization}/subjectaccessreviews`, { spec, ...more });

export const authorizationSequences: readonly Sequence[] = [
  {
    name: "escalation",
    steps: [
      post(
        "editor",
        `${rbac}~/roles`,
        role("editor", rule(writing, ["roles", "rolebindings"], [rbac]), rule(["get", "list"], ["pods"])),
      ),
      post("editors", `${rbac}~/rolebindings`, binding("editors", "Role", "editor")),
      post("strong", `${rbac}~/roles`, role("strong", everything)),
      post("strong of another", `${rbac}~/rolebindings`, binding("other", "Role", "strong", "zoe")),
      get("the editor may", `${rbac}~/roles/editor`, { ...ed, until: (body) => body.kind === "Role" }),
      post(
        "much at once",
        `${rbac}~/roles`,
        role(
          "much",
          rule(["get", "watch", "delete"], ["secrets", "pods"], ["", "apps"]),
          { ...rule(["get"], ["configmaps"]), resourceNames: ["x", "y"] },
          rule(["create"], ["deployments/scale"], ["apps"]),
        ),
        ed,
      ),
      post("what is held", `${rbac}~/roles`, role("held", rule(["get"], ["pods"])), ed),
      post("invalid and more", `${rbac}~/roles`, role("bad", rule([], ["secrets"])), ed),
      post("without a name", `${rbac}~/roles`, { rules: [rule(["get"], ["secrets"])] }, ed),
      put("grown", `${rbac}~/roles/held`, role("held", rule(["*"], ["pods"])), ed),
      patch("grown by patch", "merge", `${rbac}~/roles/held`, { rules: [rule(["*"], ["pods"])] }, ed),
      patch("labelled", "merge", `${rbac}~/roles/held`, { metadata: { labels: { a: "b" } } }, ed),
      patch("label on a strong one", "merge", `${rbac}~/roles/strong`, { metadata: { labels: { a: "b" } } }, ed),
      patch("finalizer on a strong one", "merge", `${rbac}~/roles/strong`, { metadata: { finalizers: ["a.b/c"] } }, ed),
      patch("and off again", "merge", `${rbac}~/roles/strong`, { metadata: { finalizers: null } }, ed),
      apply(
        "applied",
        `${rbac}~/roles/applied`,
        "ed",
        { apiVersion: `${rbac}/v1`, kind: "Role", ...role("applied", rule(["get"], ["secrets"])) },
        ed,
      ),
      put("put anew", `${rbac}~/roles/anew`, role("anew", rule(["*"], ["nodes"])), ed),
      post("bound to a strong one", `${rbac}~/rolebindings`, binding("one", "Role", "strong"), ed),
      post(
        "bound to a role of the cluster",
        `${rbac}~/rolebindings`,
        binding("two", "ClusterRole", "system:node-problem-detector"),
        ed,
      ),
      post("bound to nothing", `${rbac}~/rolebindings`, binding("three", "Role", "missing"), ed),
      post("bound to nothing of the cluster", `${rbac}~/rolebindings`, binding("four", "ClusterRole", "missing"), ed),
      post("bound to what is held", `${rbac}~/rolebindings`, binding("five", "Role", "held"), ed),
      post("bound to another kind", `${rbac}~/rolebindings`, binding("six", "Secret", "held"), ed),
      post("bound to no name", `${rbac}~/rolebindings`, binding("seven", "Role", ""), ed),
      patch("subjects of a strong one", "merge", `${rbac}~/rolebindings/other`, { subjects: [] }, ed),
      ...granted("escalation-ed", "ed", rule(writing, ["clusterroles", "clusterrolebindings"], [rbac]), {
        nonResourceURLs: ["/healthz/*"],
        verbs: ["get"],
      }),
      get("the cluster's too", `${cluster}/clusterroles/escalation-ed`, {
        ...ed,
        until: (body) => body.kind === "ClusterRole",
      }),
      post(
        "paths",
        `${cluster}/clusterroles`,
        role("escalation-paths", { nonResourceURLs: ["/metrics", "/healthz/x"], verbs: ["get", "post"] }),
        ed,
      ),
      post(
        "aggregation",
        `${cluster}/clusterroles`,
        {
          metadata: { name: "escalation-all" },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
        },
        ed,
      ),
      post(
        "administrator",
        `${cluster}/clusterrolebindings`,
        binding("escalation-admin", "ClusterRole", "cluster-admin"),
        ed,
      ),
      post(
        "may escalate one and bind another",
        `${rbac}~/roles`,
        role(
          "exceptions",
          { ...rule(["escalate"], ["roles"], [rbac]), resourceNames: ["held"] },
          { ...rule(["bind"], ["clusterroles"], [rbac]), resourceNames: ["system:node-problem-detector"] },
        ),
      ),
      post("exceptions", `${rbac}~/rolebindings`, binding("exceptions", "Role", "exceptions")),
      patch(
        "grown by exception",
        "merge",
        `${rbac}~/roles/held`,
        { rules: [rule(["*"], ["pods"])] },
        { ...ed, until: (body) => body.kind === "Role" },
      ),
      post(
        "bound by exception",
        `${rbac}~/rolebindings`,
        binding("eight", "ClusterRole", "system:node-problem-detector"),
        ed,
      ),
    ],
  },
  {
    name: "constrained-impersonation",
    steps: [
      get("a group of masters", "~/pods?limit=1", {
        headers: { "impersonate-user": "alice", "impersonate-group": "system:masters" },
      }),
      post(
        "groups, uid and extra",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {},
        {
          headers: {
            "impersonate-user": "alice",
            "impersonate-group": "dev",
            "impersonate-uid": "u1",
            "impersonate-extra-acme.io%2fscope": "all",
          },
        },
      ),
      post(
        "a service account",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {},
        {
          as: "system:serviceaccount:default:default",
        },
      ),
      post("a node", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { as: "system:node:n1" }),
      post(
        "an unauthenticated group",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {},
        {
          headers: { "impersonate-user": "x", "impersonate-group": "system:unauthenticated" },
        },
      ),
      get("a uid alone", "~/pods", { headers: { "impersonate-uid": "u" } }),
      get("an extra alone", "~/pods", { headers: { "impersonate-extra-a": "b" } }),
    ],
  },
  {
    name: "access-reviews",
    steps: [
      access("field selector", {
        user: "x",
        resourceAttributes: { verb: "list", resource: "pods", fieldSelector: { rawSelector: "spec.nodeName=x" } },
      }),
      access("both forms of a selector", {
        user: "x",
        resourceAttributes: {
          verb: "list",
          resource: "pods",
          fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
        },
      }),
      access("no form of a selector", {
        user: "x",
        resourceAttributes: { verb: "list", resource: "pods", fieldSelector: {}, labelSelector: {} },
      }),
      access("bad requirements", {
        user: "x",
        resourceAttributes: {
          verb: "list",
          resource: "pods",
          fieldSelector: { requirements: [{ key: "", operator: "Nope", values: ["b"] }] },
          labelSelector: {
            requirements: [
              { key: "a", operator: "In" },
              { key: "b", operator: "Exists", values: ["x"] },
              { key: "A b", operator: "In", values: ["x"] },
            ],
          },
        },
      }),
      access("a selector that cannot be read", {
        user: "x",
        resourceAttributes: { verb: "list", resource: "pods", labelSelector: { rawSelector: "a in (" } },
      }),
      access("an operator of tomorrow", {
        user: "x",
        resourceAttributes: {
          verb: "list",
          resource: "pods",
          fieldSelector: {
            requirements: [
              { key: "a", operator: "Tomorrow", values: ["b"] },
              { key: "c", operator: "In", values: ["d"] },
            ],
          },
        },
      }),
      access("metadata", { user: "x", resourceAttributes: { verb: "get" } }, { metadata: { namespace: "x" } }),
      post("local, path", `${authorization}/namespaces/access-reviews/localsubjectaccessreviews`, {
        spec: { user: "x", nonResourceAttributes: { verb: "get", path: "/x" } },
      }),
      post("local, nobody", `${authorization}/namespaces/access-reviews/localsubjectaccessreviews`, { spec: {} }),
      post("local, without namespace", `${authorization}/localsubjectaccessreviews`, { spec: {} }),
      post("local, namespace of another", `${authorization}/namespaces/access-reviews/localsubjectaccessreviews`, {
        metadata: { namespace: "other" },
        spec: { user: "x", resourceAttributes: { verb: "get" } },
      }),
      post("self, unknown field", `${authorization}/selfsubjectaccessreviews`, { spec: { nope: 1 } }),
      post("who am I, named", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { metadata: { name: "x" } }),
    ],
  },
];
