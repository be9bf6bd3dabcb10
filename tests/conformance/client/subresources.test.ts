import { generateKeyPairSync } from "node:crypto";
import { isConflict, isNotFound, type Kind, unstructured } from "@kubewright/apimachinery";
import { createCertificationRequest } from "@kubewright/certificates";
import { CertificateSigningRequest, Deployment, Pod, ServiceAccount } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { useServer } from "./server.ts";

const { client, inNewNamespace } = useServer();
const labels = { app: "web" };
const containers = [{ name: "web", image: "nginx" }];
const newDeployment = async () =>
  client().create(Deployment, {
    metadata: { name: "web", namespace: await inNewNamespace() },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
const newPod = async () =>
  client().create(Pod, { metadata: { name: "web", namespace: await inNewNamespace() }, spec: { containers } });
const keyOf = ({ metadata }: { metadata: { name: string; namespace?: string } }) =>
  `${metadata.namespace}/${metadata.name}`;

describe("status", () => {
  it.each<Kind>([Deployment, unstructured({ apiVersion: "apps/v1", kind: "Deployment" })])(
    "CL-026 is updated, patched and applied, and answered",
    async (kind) => {
      const made = await newDeployment();
      const statusOf = (object: object): unknown => (object as Deployment).status?.replicas;
      const updated = await client().status.update(kind, { ...made, status: { replicas: 1 } } as never);
      expect(statusOf(updated)).toBe(1);
      expect(updated.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      expect(statusOf(await client().status.patch(kind, made, { replicas: 2 } as never))).toBe(2);
      const { name, namespace } = made.metadata;
      const wanted = { metadata: { name, ...(namespace ? { namespace } : {}) }, status: { replicas: 3 } };
      const applied = await client().status.apply(kind, wanted as never, { force: true, fieldOwner: "applier" });
      expect(statusOf(applied)).toBe(3);
      expect((await client().get(Deployment, keyOf(made))).status?.replicas).toBe(3);
    },
  );

  it("CL-027 is the only part that its update changes", async () => {
    const made = await newDeployment();
    const spec = { ...made.spec, replicas: 7 } as NonNullable<typeof made.spec>;
    await client().status.update(Deployment, { ...made, spec, status: { replicas: 1 } });
    const stored = await client().get(Deployment, keyOf(made));
    expect([stored.spec?.replicas, stored.status?.replicas]).toEqual([1, 1]);
  });
});

describe("subresources", () => {
  it("CL-028 can be read", async () => {
    const scale = await client()
      .subResource("scale")
      .get(Deployment, await newDeployment());
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 1 } });
  });

  it("CL-029 can be created: a token, an eviction, a binding", async () => {
    const namespace = await inNewNamespace();
    const account = await client().create(ServiceAccount, { metadata: { name: "robot", namespace } });
    const token = await client()
      .subResource("token")
      .create(ServiceAccount, account, { spec: { audiences: [] } });
    expect(token.status).toMatchObject({ token: expect.any(String), expirationTimestamp: expect.any(String) });

    const evicted = await newPod();
    await client()
      .subResource("eviction")
      .create(Pod, evicted, { deleteOptions: { gracePeriodSeconds: 0 } });
    await expect(client().get(Pod, keyOf(evicted))).rejects.toSatisfy(isNotFound);

    const bound = await newPod();
    await client()
      .subResource("binding")
      .create(Pod, bound, { target: { name: "node-1" } });
    expect((await client().get(Pod, keyOf(bound))).spec?.nodeName).toBe("node-1");
  });

  it("CL-030 can be updated and patched, with their own body or the object", async () => {
    const made = await newDeployment();
    const scales = client().subResource("scale");
    const scale = await scales.get(Deployment, made);
    expect((await scales.update(Deployment, made, { ...scale, spec: { replicas: 2 } })).spec?.replicas).toBe(2);
    expect((await scales.patch(Deployment, made, { spec: { replicas: 3 } })).spec?.replicas).toBe(3);
    const { resourceVersion } = scale.metadata;
    const late = { ...scale, metadata: { ...scale.metadata, resourceVersion }, spec: { replicas: 9 } };
    await expect(scales.update(Deployment, made, late)).rejects.toSatisfy(isConflict);
    const applied = await scales.patch(
      Deployment,
      made,
      { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 4 } },
      { type: "apply", fieldOwner: "applier", force: true },
    );
    expect(applied.spec?.replicas).toBe(4);
    expect((await client().get(Deployment, keyOf(made))).spec?.replicas).toBe(4);
  });

  it("CL-030 can be updated with the object as the body: an approval", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = createCertificationRequest({ commonName: "jane" }, privateKey);
    const made = await client().create(CertificateSigningRequest, {
      metadata: { generateName: "csr-" },
      spec: {
        request: Buffer.from(pem).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    });
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
    await client()
      .subResource("approval")
      .update(CertificateSigningRequest, made, { ...made, status: { conditions } });
    const stored = await client().get(CertificateSigningRequest, made.metadata.name);
    expect(stored.status?.conditions).toMatchObject(conditions.map(({ message: _, ...rest }) => rest));
  });
});
