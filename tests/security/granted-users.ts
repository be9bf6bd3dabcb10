import type { Caller } from "./raw-caller.ts";

/** A rule of a role. */
interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/**
 * A permission as text: `get secrets`, `get secrets only-this`, `update deployments.apps/scale`, `cluster get nodes`, `get /metrics`.
 * Without `cluster`, it applies only in the test's namespace.
 */
interface Right {
  readonly cluster: boolean;
  readonly rule: Rule;
}

function rightOf(words: string): Right {
  const [first = "", ...others] = words.split(" ");
  const [verb = "", target = "", name] = first === "cluster" ? others : [first, ...others];
  if (target.startsWith("/")) return { cluster: true, rule: { verbs: [verb], nonResourceURLs: [target] } };
  const slash = target.indexOf("/");
  const [qualified, subresource] = slash < 0 ? [target, ""] : [target.slice(0, slash), target.slice(slash)];
  const dot = qualified.indexOf(".");
  const [resource, group] = dot < 0 ? [qualified, ""] : [qualified.slice(0, dot), qualified.slice(dot + 1)];
  const resources = [`${resource}${subresource}`];
  const names = name === undefined ? {} : { resourceNames: [name] };
  return { cluster: first === "cluster", rule: { verbs: [verb], apiGroups: [group], resources, ...names } };
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Grants a user exactly these permissions. */
export async function grant(admin: Caller, user: string, namespace: string, rights: readonly string[]): Promise<void> {
  const parsed = rights.map(rightOf);
  for (const cluster of [true, false]) {
    const rules = parsed.filter((right) => right.cluster === cluster).map(({ rule }) => rule);
    if (rules.length === 0) continue;
    const [prefix, kind] = cluster ? ["", "ClusterRole"] : [`/namespaces/${namespace}`, "Role"];
    const plural = kind.toLowerCase();
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: user };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
    await admin.must("POST", `${rbac}${prefix}/${plural}s`, { metadata: { name: user }, rules });
    await admin.must("POST", `${rbac}${prefix}/${plural}bindings`, { metadata: { name: user }, roleRef, subjects });
  }
}

/** Waits until the server's authorizer knows the permissions of a user; a real server receives them with a delay. */
export async function untilGranted(
  admin: Caller,
  user: string,
  namespace: string,
  rights: readonly string[],
): Promise<void> {
  for (const words of rights) {
    const { cluster, rule } = rightOf(words);
    const [qualified = "", subresource = ""] = split(rule.resources?.[0] ?? "");
    const attributes = rule.nonResourceURLs
      ? { nonResourceAttributes: { verb: rule.verbs[0], path: rule.nonResourceURLs[0]?.replace("*", "x") } }
      : {
          resourceAttributes: {
            verb: rule.verbs[0],
            group: rule.apiGroups?.[0],
            resource: qualified,
            subresource,
            name: rule.resourceNames?.[0] ?? "x",
            namespace: cluster ? "" : namespace,
          },
        };
    const review = {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      spec: { user, ...attributes },
    };
    for (let left = 200; ; left--) {
      const { body } = await admin.must("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
      if (body.status.allowed) break;
      if (left === 0) throw new Error(`${user} was not granted "${words}" in time: ${JSON.stringify(body.status)}`);
      await new Promise((resolve) => setTimeout(resolve, 25)); // the server's time, not ours
    }
  }
}

function split(resource: string): readonly string[] {
  const slash = resource.indexOf("/");
  return slash < 0 ? [resource] : [resource.slice(0, slash), resource.slice(slash + 1)];
}
