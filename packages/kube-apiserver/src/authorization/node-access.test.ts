import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const containers = [{ name: "c", image: "i" }];

describe("a node", () => {
  let server: ApiServer;
  let admin: ApiClient;
  let node: ApiClient;
  let uid: string;
  beforeAll(async () => {
    server = await ApiServer.start({
      tls: false,
      authorization: ["Node", "RBAC"],
      users: [{ name: "system:node:n1", groups: ["system:nodes"] }],
      enableAdmissionPlugins: ["NodeRestriction"],
      disableAdmissionPlugins: ["ServiceAccount"],
    });
    admin = new ApiClient(server);
    node = new ApiClient(server, "system:node:n1");
    for (const name of ["used", "unused", "of-volume"]) await admin.post(`${core}/secrets`, { metadata: { name } });
    for (const name of ["n1", "n2"]) {
      const { body } = await admin.post("/api/v1/nodes", { metadata: { name } });
      uid ??= body.metadata.uid;
    }
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: "holder" } });
    const volumes = [
      { name: "s", secret: { secretName: "used" } },
      { name: "d", persistentVolumeClaim: { claimName: "claim" } },
    ];
    const spec = { nodeName: "n1", serviceAccountName: "holder", volumes, containers };
    await admin.post(`${core}/pods`, { metadata: { name: "here" }, spec });
    await admin.post(`${core}/pods`, { metadata: { name: "there" }, spec: { nodeName: "n2", containers } });
    await admin.post("/api/v1/persistentvolumes", {
      metadata: { name: "volume" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        claimRef: { namespace: "default", name: "claim" },
        csi: { driver: "d", volumeHandle: "h", nodeStageSecretRef: { namespace: "default", name: "of-volume" } },
      },
    });
  });
  afterAll(async () => {
    admin.close();
    node.close();
    await server.stop();
  });
  const why = ({ body }: ReceivedResponse): string => body.message.replace(/^.*(?:scope|"): /, "");

  it("reads only secrets that its pods and their volumes refer to", async () => {
    expect((await node.get(`${core}/secrets/used`)).status).toBe(200);
    expect((await node.get(`${core}/secrets/of-volume`)).status).toBe(200);
    expect((await node.get("/api/v1/persistentvolumes/volume")).status).toBe(200);
    expect((await node.get(`${core}/secrets?fieldSelector=metadata.name%3Dused`)).status).toBe(200);
    expect((await node.get(`${core}/secrets/unused`)).body.message).toBe(
      `secrets "unused" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "default": node: no relationship found between node 'n1' and this object`,
    );
    expect(why(await node.get(`${core}/secrets`))).toBe("node: No Object name found");
    expect(why(await node.delete(`${core}/secrets/used`))).toBe("node: can only read resources of this type");
  });

  it("lists pods by its name, and reads those bound to it", async () => {
    expect((await node.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")).body.items).toHaveLength(1);
    expect(why(await node.get("/api/v1/pods"))).toBe(
      "node: can only list/watch pods with spec.nodeName field selector",
    );
    expect((await node.get(`${core}/pods/here`)).status).toBe(200);
    expect((await node.get(`${core}/pods/there`)).status).toBe(403);
  });

  it("changes itself, but not labels that would attract pods", async () => {
    expect(why(await node.get("/api/v1/nodes/n2"))).toBe("node: node 'n1' cannot read 'n2', only its own Node object");
    const patch = (name: string, body: unknown): Promise<ReceivedResponse> =>
      node.patch(`/api/v1/nodes/${name}`, "merge", body);
    expect((await patch("n1", { metadata: { labels: { "kubernetes.io/os": "linux" } } })).status).toBe(200);
    expect((await patch("n2", { metadata: { labels: { a: "b" } } })).body.message).toBe(
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
    expect(
      (await patch("n1", { metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } } })).body.message,
    ).toBe('nodes "n1" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/a');
    expect((await patch("n1", { spec: { taints: [] } })).body.message).toContain("is not allowed to modify taints");
  });

  it("creates its own mirror pods that need nothing from the API", async () => {
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid, controller: true };
    const make = (metadata: object, spec: object = {}): Promise<ReceivedResponse> =>
      node.post(`${core}/pods`, {
        metadata: { name: "mirror", ...metadata },
        spec: { nodeName: "n1", containers, ...spec },
      });
    const refusals = [
      [
        await make({}),
        'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
      ],
      [
        await make({ annotations }, { nodeName: "n2" }),
        'node "n1" can only create pods with spec.nodeName set to itself',
      ],
      [await make({ annotations }), 'node "n1" can only create pods with an owner reference set to itself'],
      [
        await make({ annotations, ownerReferences: [owner] }, { volumes: [{ name: "c", configMap: { name: "c" } }] }),
        'node "n1" can not create pods that reference configmaps',
      ],
    ] as const;
    for (const [{ body }, text] of refusals) expect(body.message).toBe(`pods "mirror" is forbidden: ${text}`);
    expect((await make({ annotations, ownerReferences: [owner] })).status).toBe(201);
  });

  it("gets tokens for pods that run on it, with the audiences of their volumes", async () => {
    const { body: pod } = await admin.get(`${core}/pods/here`);
    const request = (spec: object): Promise<ReceivedResponse> =>
      node.post(`${core}/serviceaccounts/holder/token`, { spec });
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "here", uid: pod.metadata.uid };
    expect((await request({})).body.message).toBe(
      'serviceaccounts "holder" is forbidden: node requested token not bound to a pod',
    );
    expect((await request({ boundObjectRef, audiences: ["a", "b"] })).body.message).toContain(
      "node may only request 0 or 1 audiences",
    );
    expect((await node.post(`${core}/serviceaccounts/other/token`, { spec: {} })).status).toBe(403);
  });

  it("renews its own lease", async () => {
    expect((await node.post(leases, { metadata: { name: "n1" } })).status).toBe(201);
    expect((await node.post(leases, { metadata: { name: "n2" } })).body.message).toBe(
      'leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    );
    expect(why(await node.get(`${leases}/n2`))).toBe(
      "node: can only access node lease with the same name as the requesting node",
    );
  });
});
