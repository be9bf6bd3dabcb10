import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("RBAC", () => {
  let server: ApiServer;
  let admin: ApiClient;
  let jane: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, authorization: ["RBAC"], users: [{ name: "jane", groups: ["dev"] }] });
    admin = new ApiClient(server);
    jane = new ApiClient(server, "jane");
  });
  afterAll(async () => {
    admin.close();
    jane.close();
    await server.stop();
  });

  it("rejects requests without a grant, with upstream's message", async () => {
    const { body } = await jane.get("/api/v1/namespaces/default/pods");
    expect(body).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    });
    expect((await jane.get("/metrics")).body.message).toBe('forbidden: User "jane" cannot get path "/metrics"');
  });

  it("lets every authenticated user discover, and creates the bootstrap roles", async () => {
    expect((await jane.get("/apis")).status).toBe(200);
    expect((await admin.get(`${rbac}/clusterroles/view`)).body.metadata.labels["kubernetes.io/bootstrapping"]).toBe(
      "rbac-defaults",
    );
  });

  it("allows what a role of the namespace grants, only there", async () => {
    await admin.post(`${rbac}/namespaces/default/roles`, {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["shown"], verbs: ["get"] }],
    });
    await admin.post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: "readers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "dev" }],
    });
    expect((await jane.get("/api/v1/namespaces/default/configmaps/shown")).status).toBe(404);
    expect((await jane.get("/api/v1/namespaces/default/configmaps/other")).status).toBe(403);
    expect((await jane.get("/api/v1/namespaces/kube-system/configmaps/shown")).status).toBe(403);
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: "x",
        groups: ["dev"],
        resourceAttributes: { verb: "get", resource: "configmaps", name: "shown", namespace: "default" },
      },
    };
    const { body } = await admin.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
    expect(body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/default" of Role "reader" to Group "dev"',
    });
  });

  it("lets users with permission impersonate others", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": "dev" };
    expect((await admin.get("/api/v1/namespaces/default/configmaps/shown", { headers })).status).toBe(404);
    expect((await admin.get("/api/v1/namespaces/default/pods", { headers })).status).toBe(403);
    expect((await jane.get("/api", { headers: { "impersonate-user": "admin" } })).body.code).toBe(403);
  });
});

describe("TLS", () => {
  it("authenticates users by certificate and rejects unknown CAs", async () => {
    await using server = await ApiServer.start({ users: [{ name: "jane", groups: ["dev"] }] });
    const { caData, certData, keyData } = server.connection("jane");
    const { request } = await import("node:https");
    const whoami = (options: object): Promise<{ status?: { userInfo?: unknown }; code?: number }> => {
      const { promise, resolve, reject } = Promise.withResolvers<{ status?: { userInfo?: unknown } }>();
      const url = `${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const sent = request(url, { method: "POST", ca: caData, ...options }, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve(JSON.parse(text)));
      });
      sent.on("error", reject);
      sent.end("{}");
      return promise;
    };
    expect((await whoami({ cert: certData, key: keyData })).status?.userInfo).toMatchObject({
      username: "jane",
      groups: ["dev", "system:authenticated"],
    });
    await using other = await ApiServer.start();
    const foreign = other.connection();
    expect((await whoami({ cert: foreign.certData, key: foreign.keyData })).code).toBe(401);
  });
});
