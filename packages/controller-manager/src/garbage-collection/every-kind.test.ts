import { generateKeyPairSync } from "node:crypto";
import { ignoreNotFound, type Kind, type KubeObject, keyOf } from "@kubewright/apimachinery";
import { createCertificationRequest } from "@kubewright/certificates";
import { commonName, testCertificate } from "@kubewright/certificates/testing";
import { ClusterRole, CustomResourceDefinition } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deletableKinds } from "../discovery/deletable-kinds.ts";
import { type PlaneAndClient, startPlaneAndClient } from "../testing/plane-and-client.ts";

const labels = { app: "owned" };
const containers = [{ name: "main", image: "nginx:1" }];
const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } };
const workload = { spec: { selector: { matchLabels: labels }, template } };
const job = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["bindings"] }],
};
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const storage = { accessModes: ["ReadWriteOnce"], storageClassName: "none" };

const definition = (kind: string, scope: string) => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      ...{ group: "example.com", scope, names: { kind, singular: kind.toLowerCase(), plural } },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
};

const request = createCertificationRequest(
  { commonName: "owned" },
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
);

/** Fields other than the name that objects of a kind need. */
const bodies: Readonly<Record<string, object>> = {
  Namespace: { metadata: { name: "owned" } },
  PersistentVolumeClaim: { spec: { ...storage, resources: { requests: { storage: "1Gi" } } } },
  PersistentVolume: { spec: { ...storage, capacity: { storage: "1Gi" }, hostPath: { path: "/tmp/owned" } } },
  Pod: { spec: template.spec },
  PodTemplate: { template },
  ReplicationController: { spec: { selector: labels, template } },
  Service: { metadata: { name: "owned" }, spec: { ports: [{ port: 80 }] } },
  APIService: {
    metadata: { name: "v1.nowhere.example.com" },
    spec: { ...{ group: "nowhere.example.com", version: "v1" }, groupPriorityMinimum: 1, versionPriority: 1 },
  },
  ControllerRevision: { data: {}, revision: 1 },
  DaemonSet: workload,
  Deployment: workload,
  ReplicaSet: workload,
  StatefulSet: workload,
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" } },
  },
  CronJob: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: job } } },
  Job: { spec: job },
  IngressClass: { spec: { controller: "example.com/owned" } },
  Ingress: { spec: { defaultBackend: { service: { name: "none", port: { number: 80 } } } } },
  IPAddress: { metadata: { name: "10.96.255.1" }, spec: { parentRef: { resource: "services", name: "none" } } },
  ServiceCIDR: { spec: { cidrs: ["10.200.0.0/24"] } },
  ClusterRoleBinding: { roleRef },
  RoleBinding: { roleRef },
  CSIStorageCapacity: { storageClassName: "none" },
  StorageClass: { provisioner: "example.com/owned" },
  VolumeAttachment: { spec: { attacher: "example.com", nodeName: "none", source: { persistentVolumeName: "none" } } },
  VolumeAttributesClass: { driverName: "example.com", parameters: { a: "b" } },
  MutatingAdmissionPolicy: {
    spec: {
      ...{ matchConstraints, reinvocationPolicy: "Never" },
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: "none" } },
  ValidatingAdmissionPolicy: { spec: { matchConstraints, validations: [{ expression: "true" }] } },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: "none", validationActions: ["Audit"] } },
  CustomResourceDefinition: definition("Owned", "Cluster"),
  RuntimeClass: { handler: "owned" },
  EndpointSlice: { addressType: "IPv4", endpoints: [] },
  ResourceSlice: {
    spec: { driver: "example.com", pool: { name: "owned", resourceSliceCount: 1, generation: 1 }, allNodes: true },
  },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 9_000 } },
  PriorityLevelConfiguration: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  CertificateSigningRequest: {
    spec: {
      request: Buffer.from(request).toString("base64"),
      ...{ signerName: "example.com/owned", usages: ["client auth"] },
    },
  },
  ClusterTrustBundle: {
    spec: { trustBundle: testCertificate({ subject: [commonName("owned")], ca: true }).certificate },
  },
  PodCertificateRequest: {
    spec: {
      ...{ signerName: "example.com/owned", podName: "owned", podUID: "1", serviceAccountName: "default" },
      ...{ serviceAccountUID: "2", nodeName: "owned", nodeUID: "3", maxExpirationSeconds: 86_400 },
      stubPKCS10Request: request.replace(/-----.*-----|\s/g, ""),
    },
  },
  DeviceTaintRule: { spec: { taint: { key: "owned", effect: "None" } } },
  StorageVersionMigration: { spec: { resource: { group: "", resource: "configmaps" } } },
  Event: { involvedObject: { kind: "Pod", namespace: "default", name: "none" } },
};

let bed: PlaneAndClient;
beforeAll(async () => {
  bed = await startPlaneAndClient();
});
afterAll(() => bed?.stop());

it("collects dependents of every kind of the server except Events, as kube-controller-manager does", async () => {
  const { client } = bed;
  for (const scope of ["Namespaced", "Cluster"])
    await client.create(CustomResourceDefinition, definition(`${scope}Thing`, scope) as never);
  await expect
    .poll(async () => (await deletableKinds(client)).kinds.filter(({ group }) => group === "example.com").length)
    .toBe(2);
  const owner = await client.create(ClusterRole, { metadata: { name: "owner" }, rules: [] });
  const ownerReferences = [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "owner", uid: owner.metadata.uid ?? "" },
  ];
  const dependents: { readonly kind: Kind; readonly object: KubeObject }[] = [];
  for (const kind of (await deletableKinds(client)).kinds) {
    const { metadata, ...body }: { metadata?: object } = bodies[kind.kind] ?? {};
    const place = kind.scope === "Namespaced" ? { namespace: "default" } : {};
    const object = { ...body, metadata: { name: "owned.example.com", ...place, ...metadata, ownerReferences } };
    const made = await client.create(kind, object).catch((error: Error) => {
      throw new Error(`${kind.kind}: ${error.message}`);
    });
    dependents.push({ kind, object: made });
  }
  const left = async () => {
    const found = await Promise.all(
      dependents.map(async ({ kind, object }) => {
        const there = await client.get(kind, keyOf(object)).catch(ignoreNotFound);
        return there?.metadata.uid === object.metadata.uid ? [kind.kind] : [];
      }),
    );
    return found.flat();
  };
  expect((await left()).length).toBe(dependents.length);
  await client.delete(ClusterRole, "owner");
  await expect.poll(left, { timeout: 20_000 }).toEqual(["Event"]);
}, 60_000);
