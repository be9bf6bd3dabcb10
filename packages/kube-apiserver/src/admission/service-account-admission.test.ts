import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const container = { name: "c", image: "i" };

describe("pods and their ServiceAccount", () => {
  let server: ApiServer;
  let admin: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false });
    admin = new ApiClient(server);
    const accounts = [
      { metadata: { name: "default" } },
      { metadata: { name: "quiet" }, automountServiceAccountToken: false, imagePullSecrets: [{ name: "pull" }] },
      {
        metadata: { name: "strict", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
        secrets: [{ name: "ok" }],
      },
    ];
    for (const account of accounts) await admin.post(`${core}/serviceaccounts`, account);
  });
  afterAll(async () => {
    admin.close();
    await server.stop();
  });
  let count = 0;
  const make = (spec: object = {}, metadata: object = {}): Promise<ReceivedResponse> =>
    admin.post(`${core}/pods`, {
      metadata: { name: `p${count++}`, ...metadata },
      spec: { containers: [container], ...spec },
    });

  it("run as the default account with its token mounted", async () => {
    const { spec } = (await make()).body;
    expect([spec.serviceAccountName, spec.serviceAccount]).toEqual(["default", "default"]);
    const [volume] = spec.volumes;
    expect(volume.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    });
    expect(spec.containers[0].volumeMounts).toEqual([{ name: volume.name, readOnly: true, mountPath }]);
  });

  it("get no token if pod or account opt out, or something else is mounted there", async () => {
    expect((await make({ automountServiceAccountToken: false })).body.spec.volumes).toBeUndefined();
    const quiet = (await make({ serviceAccountName: "quiet" })).body.spec;
    expect([quiet.volumes, quiet.imagePullSecrets]).toEqual([undefined, [{ name: "pull" }]]);
    const own = { name: "own", emptyDir: {} };
    const mounted = { ...container, volumeMounts: [{ name: "own", mountPath }] };
    expect((await make({ volumes: [own], containers: [mounted] })).body.spec.volumes).toHaveLength(1);
  });

  it("are rejected if the account does not exist", async () => {
    const refused = await make({ serviceAccountName: "missing" }, { name: "p" });
    expect(refused.body).toMatchObject({
      code: 403,
      message:
        'pods "p" is forbidden: error looking up service account default/missing: serviceaccount "missing" not found',
    });
  });

  it("wait a moment for the default account of a new namespace", async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "fresh" } });
    const made = admin.post("/api/v1/namespaces/fresh/pods", {
      metadata: { name: "p" },
      spec: { containers: [container] },
    });
    await admin.post("/api/v1/namespaces/fresh/serviceaccounts", { metadata: { name: "default" } });
    expect((await made).status).toBe(201);
  });

  it("use only the secrets of a restricted account", async () => {
    const strict = (spec: object): Promise<ReceivedResponse> =>
      make({ serviceAccountName: "strict", ...spec }, { name: "p" });
    const secretKeyRef = { name: "other", key: "k" };
    const env = [{ name: "E", valueFrom: { secretKeyRef } }];
    expect((await strict({ volumes: [{ name: "v", secret: { secretName: "other" } }] })).body.message).toBe(
      'pods "p" is forbidden: volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
    );
    expect((await strict({ containers: [{ ...container, env }] })).body.message).toBe(
      'pods "p" is forbidden: container c with envVar E referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
    );
    expect((await strict({ imagePullSecrets: [{ name: "other" }] })).body.message).toContain(
      'imagePullSecrets[0].name="other" is not allowed',
    );
    expect((await strict({ volumes: [{ name: "v", secret: { secretName: "ok" } }] })).status).toBe(201);
  });

  it("that mirror static pods may not use the API", async () => {
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const refused = await make({ nodeName: "n", serviceAccountName: "default" }, { name: "p", annotations });
    expect(refused.body.message).toBe('pods "p" is forbidden: a mirror pod may not reference service accounts');
    const { body } = await make({ nodeName: "n" }, { annotations });
    expect(body.spec.serviceAccountName).toBeUndefined();
    expect((await make({}, { name: "p", annotations })).body.message).toContain(
      "must set spec.nodeName if mirror pod annotation is set",
    );
  });

  it("name their account if they request a token without the plugin", async () => {
    await using bare = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
    const client = new ApiClient(bare);
    const volumes = [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }];
    const { body } = await client.post(`${core}/pods`, {
      metadata: { name: "p" },
      spec: { volumes, containers: [container] },
    });
    expect(body.message).toBe(
      'Pod "p" is invalid: spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    );
    client.close();
  });
});
