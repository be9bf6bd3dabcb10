import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

const group = "rbac.authorization.k8s.io";
const cluster = `/apis/${group}/v1`;
const roles = `${cluster}/namespaces/default/roles`;
const bindings = `${cluster}/namespaces/default/rolebindings`;
const rule = (verbs: readonly string[], resources: readonly string[], apiGroups: readonly string[] = [""]) => ({
  verbs,
  apiGroups,
  resources,
});
const role = (name: string, ...rules: readonly object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: to },
  subjects: [{ apiGroup: group, kind: "User", name: "ed" }],
});
const started =
  'user "ed" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe("granting", () => {
  let server: ApiServer;
  let admin: ApiClient;
  let ed: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, authorization: ["RBAC"], users: [{ name: "ed" }] });
    admin = new ApiClient(server);
    ed = new ApiClient(server, "ed");
    const writing = ["get", "list", "create", "update", "patch"];
    await admin.post(roles, role("editor", rule(writing, ["roles", "rolebindings"], [group]), rule(["get"], ["pods"])));
    await admin.post(bindings, binding("editor", "Role", "editor"));
    await admin.post(roles, role("strong", rule(["*"], ["*"], ["*"])));
  });
  afterAll(async () => {
    admin.close();
    ed.close();
    await server.stop();
  });
  const why = ({ body }: ReceivedResponse): string => body.message.replace(/^[^ ]+( "[^"]*")? is forbidden: /, "");

  it("is rejected for missing permissions, with all of them in one sorted list", async () => {
    const refused = await ed.post(
      roles,
      role(
        "more",
        rule(["get", "watch"], ["secrets", "pods"]),
        { ...rule(["get"], ["configmaps"]), resourceNames: ["x", "y"] },
        rule(["create"], ["deployments/scale"], ["apps"]),
      ),
    );
    expect([refused.status, refused.body.details]).toEqual([403, { name: "more", group, kind: "roles" }]);
    expect(why(refused).split("\n")).toEqual([
      started,
      '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["x"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["y"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "watch"]}',
      '{APIGroups:["apps"], Resources:["deployments/scale"], Verbs:["create"]}',
    ]);
  });

  it("is allowed for own permissions, and checked again on each change", async () => {
    expect((await ed.post(roles, role("held", rule(["get"], ["pods"])))).status).toBe(201);
    expect((await ed.patch(`${roles}/held`, "merge", { metadata: { labels: { a: "b" } } })).status).toBe(200);
    const grown = await ed.patch(`${roles}/held`, "merge", { rules: [rule(["*"], ["pods"])] });
    expect(why(grown)).toBe(`${started}\n{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`);
    const applied = { apiVersion: `${group}/v1`, kind: "Role", ...role("applied", rule(["get"], ["secrets"])) };
    expect((await ed.patch(`${roles}/applied?fieldManager=ed`, "apply", applied)).status).toBe(403);
    expect((await ed.put(`${roles}/anew`, role("anew", rule(["get"], ["secrets"])))).status).toBe(403);
  });

  it("lets the garbage collector change finalizers and owners of a strong role", async () => {
    const patch = (metadata: object): Promise<ReceivedResponse> => ed.patch(`${roles}/strong`, "merge", { metadata });
    expect((await patch({ labels: { a: "b" } })).status).toBe(403);
    expect((await patch({ finalizers: ["a.b/c"] })).status).toBe(200);
  });

  it("with a binding requires the role's permissions too, or permission to bind it", async () => {
    expect(why(await ed.post(bindings, binding("one", "Role", "strong")))).toBe(
      `${started}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`,
    );
    expect((await ed.post(bindings, binding("two", "Role", "missing"))).body.message).toBe(
      `rolebindings.${group} "missing" not found`,
    );
    expect((await ed.post(bindings, binding("three", "Role", "held"))).status).toBe(201);
    const exceptions = role(
      "exceptions",
      { ...rule(["bind"], ["clusterroles"], [group]), resourceNames: ["view"] },
      { ...rule(["escalate"], ["roles"], [group]), resourceNames: ["held"] },
    );
    await admin.post(roles, exceptions);
    await admin.post(bindings, binding("exceptions", "Role", "exceptions"));
    expect((await ed.post(bindings, binding("four", "ClusterRole", "view"))).status).toBe(201);
    expect((await ed.post(bindings, binding("five", "ClusterRole", "edit"))).status).toBe(403);
    expect((await ed.patch(`${roles}/held`, "merge", { rules: [rule(["*"], ["pods"])] })).status).toBe(200);
  });

  it("with aggregation is for administrators", async () => {
    await admin.post(`${cluster}/clusterroles`, role("creator", rule(["create"], ["clusterroles"], [group])));
    await admin.post(`${cluster}/clusterrolebindings`, binding("creator", "ClusterRole", "creator"));
    const refused = await ed.post(`${cluster}/clusterroles`, {
      metadata: { name: "all" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    });
    expect(why(refused)).toBe("must have cluster-admin privileges to use the aggregationRule");
  });
});
