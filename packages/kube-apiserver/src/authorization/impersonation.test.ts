import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const pods = "/api/v1/namespaces/default/pods";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

describe("impersonation", () => {
  let server: ApiServer;
  let admin: ApiClient;
  const clients = new Map<string, ApiClient>();
  const users = ["nobody", "viewer", "former", "agent"];
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, authorization: ["RBAC"], users: users.map((name) => ({ name })) });
    admin = new ApiClient(server);
    for (const user of users) clients.set(user, new ApiClient(server, user));
    const authentication = "authentication.k8s.io";
    await grant("viewer", [
      { verbs: ["impersonate-on:user-info:list"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["impersonate:user-info"], apiGroups: [authentication], resources: ["users"], resourceNames: ["alice"] },
    ]);
    await grant("former", [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"] }]);
    await grant("agent", [
      {
        verbs: ["impersonate-on:arbitrary-node:create"],
        apiGroups: [authentication],
        resources: ["selfsubjectreviews"],
      },
      { verbs: ["impersonate:arbitrary-node"], apiGroups: [authentication], resources: ["nodes"] },
    ]);
  });
  afterAll(async () => {
    for (const client of [admin, ...clients.values()]) client.close();
    await server.stop();
  });

  async function grant(name: string, rules: readonly object[]): Promise<void> {
    const apiGroup = "rbac.authorization.k8s.io";
    await admin.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ apiGroup, kind: "User", name }],
    });
  }
  const get = (sender: string, path: string, headers: Record<string, string>): Promise<ReceivedResponse> =>
    (clients.get(sender) ?? admin).get(path, { headers });

  it("reports the first missing permission: for the action as another user", async () => {
    const expected: Readonly<Record<string, string>> = {
      alice: "user-info",
      "system:serviceaccount:default:default": "serviceaccount",
      "system:node:n1": "arbitrary-node",
    };
    for (const [user, mode] of Object.entries(expected))
      expect((await get("nobody", pods, { "impersonate-user": user })).body.message).toBe(
        `pods is forbidden: User "nobody" cannot impersonate-on:${mode}:list resource "pods" in API group "" in the namespace "default"`,
      );
  });

  it("permits one user and one verb with both constrained grants", async () => {
    const alice = { "impersonate-user": "alice" };
    expect((await get("viewer", pods, alice)).body.message).toBe(
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect((await get("viewer", pods, { "impersonate-user": "jane" })).body.message).toBe(
      'users.authentication.k8s.io "jane" is forbidden: User "viewer" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect((await get("viewer", `${pods}/x`, alice)).body.message).toContain("cannot impersonate-on:user-info:get");
    expect((await get("viewer", pods, { ...alice, "impersonate-group": "system:masters" })).body.message).toContain(
      "impersonating the system:masters group is not allowed",
    );
  });

  it("lets holders of the original permission impersonate anybody, and names it after its use", async () => {
    expect((await get("former", pods, { "impersonate-user": "carl" })).body.message).toContain(
      'User "carl" cannot list',
    );
    expect((await get("former", pods, { "impersonate-user": "carl", "impersonate-uid": "u" })).body.message).toBe(
      'uids.authentication.k8s.io "u" is forbidden: User "former" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  it("gives a node its group only in constrained mode", async () => {
    const headers = { "impersonate-user": "system:node:n1" };
    const constrained = await (clients.get("agent") ?? admin).post(whoAmI, {}, { headers });
    expect(constrained.body.status.userInfo.groups).toEqual(["system:nodes", "system:authenticated"]);
    const old = await (clients.get("former") ?? admin).post(whoAmI, {}, { headers });
    expect(old.body.status.userInfo.groups).toEqual(["system:authenticated"]);
  });

  it("includes UID and extra", async () => {
    const headers = {
      "impersonate-user": "alice",
      "impersonate-group": "dev",
      "impersonate-uid": "u1",
      "impersonate-extra-Acme.io%2fScope": "all",
    };
    expect((await admin.post(whoAmI, {}, { headers })).body.status.userInfo).toEqual({
      username: "alice",
      uid: "u1",
      groups: ["dev", "system:authenticated"],
      extra: { "acme.io/scope": ["all"] },
    });
    expect((await get("nobody", pods, { "impersonate-extra-a": "b" })).body).toMatchObject({
      code: 400,
      message: "requested a uid, groups or extra without impersonating a user name",
    });
  });
});
