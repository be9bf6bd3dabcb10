import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { defineKind, isConditionTrue, isNotFound, kubernetesVersion } from "@kubewright/apimachinery";
import { createCertificationRequest } from "@kubewright/certificates";
import { Client, staleVersions } from "@kubewright/client";
import {
  APIService,
  CertificateSigningRequest,
  ClusterRole,
  ConfigMap,
  CustomResourceDefinition,
  DaemonSet,
  EndpointSlice,
  Endpoints,
  Event,
  Job,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
} from "@kubewright/client/kinds";
import { createLogger } from "@kubewright/log";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { simulation } from "./node/simulated-image.ts";
import { type PlaneAndClient, startPlaneAndClient } from "./testing/plane-and-client.ts";

let bed: PlaneAndClient;
let client: Client;
const warnings: string[] = [];
beforeAll(async () => {
  const destination = { write: (line: string) => void warnings.push(line) };
  bed = await startPlaneAndClient({ logger: createLogger({ level: "warn", destination }) });
  client = bed.client;
});
afterAll(() => bed?.stop());

const soon = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 8_000, interval: 20 });
const container = { name: "main", image: "nginx:1" };
const templateOf = (app: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [container], terminationGracePeriodSeconds: 0, ...more },
});

/** Creates a namespace with its ServiceAccount. */
async function makeNamespace(name: string): Promise<string> {
  await client.create(Namespace, { metadata: { name } });
  await soon(async () => client.get(ConfigMap, { namespace: name, name: "kube-root-ca.crt" }));
  return name;
}

const gone = (lookup: () => Promise<unknown>): Promise<void> =>
  soon(async () => {
    await expect(lookup()).rejects.toSatisfy(isNotFound);
  });

describe("quotas", () => {
  const Widget = defineKind({
    group: "quota.example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
    preserveUnknownFields: true,
  });

  it("show usage, and release it on deletion, custom resources included", async () => {
    const namespace = await makeNamespace("quotas");
    await client.create(CustomResourceDefinition, Widget.crd as CustomResourceDefinition);
    const hard = { pods: "3", configmaps: "5", "count/widgets.quota.example.com": "1" };
    await client.create(ResourceQuota, { metadata: { name: "q", namespace }, spec: { hard } });
    const used = async () => (await client.get(ResourceQuota, { namespace, name: "q" })).status?.used;
    await soon(async () =>
      expect(await used()).toEqual({ pods: "0", configmaps: "1", "count/widgets.quota.example.com": "0" }),
    );
    await soon(() => client.create(Widget, { metadata: { name: "w", namespace } }));
    await expect(client.create(Widget, { metadata: { name: "v", namespace } })).rejects.toThrow(
      'widgets.quota.example.com "v" is forbidden: exceeded quota: q, requested: count/widgets.quota.example.com=1, used: count/widgets.quota.example.com=1, limited: count/widgets.quota.example.com=1',
    );
    await client.create(Pod, { metadata: { name: "p", namespace }, spec: { containers: [container] } });
    expect((await used())?.pods).toBe("1");
    await client.delete(Pod, { namespace, name: "p" }, { gracePeriodSeconds: 0 });
    await client.delete(Widget, { namespace, name: "w" });
    await soon(async () => expect(await used()).toMatchObject({ pods: "0", "count/widgets.quota.example.com": "0" }));
  });

  it("keep the last count of a kind that is not served, and drop counts without a limit", async () => {
    const namespace = await makeNamespace("uncounted");
    const key = { namespace, name: "q" };
    const hard = { configmaps: "5", "count/ghosts.quota.example.com": "3" };
    await client.create(ResourceQuota, { metadata: key, spec: { hard } });
    const status = async () => (await client.get(ResourceQuota, key)).status;
    await soon(async () => expect(await status()).toEqual({ hard, used: { configmaps: "1" } }));
    const used = { configmaps: "1", "count/ghosts.quota.example.com": "2", pods: "1" };
    await client.status.patch(ResourceQuota, key, { used });
    await client.create(ConfigMap, { metadata: { name: "second", namespace } });
    await soon(async () =>
      expect((await status())?.used).toEqual({ configmaps: "2", "count/ghosts.quota.example.com": "2" }),
    );
  });

  it("of a full namespace stop a ReplicationController, which reports it", async () => {
    const namespace = await makeNamespace("full");
    const key = { namespace, name: "rc" };
    await client.create(ResourceQuota, { metadata: { name: "q", namespace }, spec: { hard: { pods: "2" } } });
    await soon(async () =>
      expect((await client.get(ResourceQuota, { namespace, name: "q" })).status?.hard).toEqual({ pods: "2" }),
    );
    await client.create(ReplicationController, {
      metadata: key,
      spec: { replicas: 3, selector: { app: "rc" }, template: templateOf("rc") },
    });
    await soon(async () => {
      const { status } = await client.get(ReplicationController, key);
      expect(status).toMatchObject({ replicas: 2, readyReplicas: 2 });
      expect(status?.conditions?.[0]).toMatchObject({ type: "ReplicaFailure", reason: "FailedCreate" });
    });
    await client.patch(ReplicationController, key, { spec: { replicas: 2 } });
    await soon(async () => expect((await client.get(ReplicationController, key)).status?.conditions).toBeUndefined());
  });
});

describe("workloads", () => {
  it("of a DaemonSet wait longer after each immediate failure of their pod", async () => {
    const key = { namespace: "default", name: "failing" };
    const sysctls = [{ name: "kernel.msgmax", value: "1" }]; // no kubelet accepts this pod
    const template = templateOf("failing", { securityContext: { sysctls } });
    const selector = { matchLabels: { app: "failing" } };
    const stop = new AbortController();
    const madeAt: number[] = [];
    const watching = (async () => {
      const options = { namespace: "default", labels: selector.matchLabels, signal: stop.signal };
      for await (const { type } of client.watch(Pod, options)) if (type === "ADDED") madeAt.push(performance.now());
    })();
    await client.create(DaemonSet, { metadata: key, spec: { selector, template } });
    await soon(async () => expect(madeAt).toHaveLength(3));
    const [, second = 0, third = 0] = madeAt;
    expect(third - second).toBeGreaterThan(700); // one second after the first failure was noticed
    await client.delete(DaemonSet, key);
    stop.abort();
    await watching;
  });

  it("of a Job run until enough pods have succeeded", async () => {
    const key = { namespace: "default", name: "count" };
    const template = templateOf("count", { restartPolicy: "Never" });
    await client.create(Job, { metadata: key, spec: { completions: 2, parallelism: 2, template } });
    await soon(async () => {
      const { status } = await client.get(Job, key);
      expect(status).toMatchObject({ succeeded: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
      expect(status?.conditions?.map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
      expect(status?.completionTime).toBeDefined();
    });
    const pods = await client.list(Pod, { namespace: "default", labels: { app: "count" } });
    expect(pods.map(({ status, metadata }) => [status?.phase, metadata.finalizers])).toEqual([
      ["Succeeded", undefined],
      ["Succeeded", undefined],
    ]);
  });

  it("of a Job run as long as it exists if their image is pause", async () => {
    const jobOf = async (name: string, image: string): Promise<void> => {
      const template = templateOf(name, { restartPolicy: "Never", containers: [{ name: "main", image }] });
      await client.create(Job, { metadata: { name, namespace: "default" }, spec: { template } });
    };
    await jobOf("waits", "registry.k8s.io/pause:3.10.2");
    await soon(async () => expect((await client.get(Job, "default/waits")).status?.ready).toBe(1));
    await jobOf("ends", "registry.example.com/pauses");
    await soon(async () => expect((await client.get(Job, "default/ends")).status?.succeeded).toBe(1));
    expect((await client.get(Job, "default/waits")).status).toMatchObject({ active: 1, ready: 1 });
  });

  it("of a Job fail after too many pods have failed, and are indexed on request", async () => {
    const failing = templateOf("fails", { restartPolicy: "Never" });
    const annotated = { ...failing, metadata: { ...failing.metadata, annotations: { [simulation.exitCode]: "3" } } };
    await client.create(Job, {
      metadata: { name: "fails", namespace: "default" },
      spec: { backoffLimit: 0, template: annotated },
    });
    await client.create(Job, {
      metadata: { name: "indexed", namespace: "default" },
      spec: {
        completions: 3,
        parallelism: 3,
        completionMode: "Indexed",
        template: templateOf("indexed", { restartPolicy: "Never" }),
      },
    });
    await soon(async () => {
      const { status } = await client.get(Job, "default/fails");
      expect(status).toMatchObject({ failed: 1 });
      expect(status?.conditions?.at(-1)).toMatchObject({ type: "Failed", reason: "BackoffLimitExceeded" });
    });
    await soon(async () =>
      expect((await client.get(Job, "default/indexed")).status).toMatchObject({
        succeeded: 3,
        completedIndexes: "0-2",
      }),
    );
  });

  it("of a StatefulSet have names and claims, start in order and are replaced from the last", async () => {
    const key = { namespace: "default", name: "db" };
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    await client.create(StatefulSet, {
      metadata: key,
      spec: {
        replicas: 2,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: templateOf("db"),
        volumeClaimTemplates: [claim],
      },
    });
    await soon(async () =>
      expect((await client.get(StatefulSet, key)).status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 }),
    );
    expect((await client.get(PersistentVolumeClaim, "default/data-db-1")).metadata.labels).toEqual({ app: "db" });
    const before = (await client.get(StatefulSet, key)).status?.currentRevision;
    const image = "nginx:2";
    await client.patch(StatefulSet, key, { spec: { template: { spec: { containers: [{ name: "main", image }] } } } });
    await soon(async () => {
      const { status } = await client.get(StatefulSet, key);
      expect(status?.currentRevision).toBe(status?.updateRevision);
      expect(status?.currentRevision).not.toBe(before);
    });
    expect((await client.get(Pod, "default/db-0")).spec.containers[0]?.image).toBe(image);
  });

  it("of a DaemonSet are on every node", async () => {
    await client.create(DaemonSet, {
      metadata: { name: "agent", namespace: "default" },
      spec: { selector: { matchLabels: { app: "agent" } }, template: templateOf("agent") },
    });
    await soon(async () =>
      expect((await client.get(DaemonSet, "default/agent")).status).toMatchObject({
        desiredNumberScheduled: 1,
        numberReady: 1,
        numberAvailable: 1,
      }),
    );
  });

  it("are selected by services and disruption budgets", async () => {
    const key = { namespace: "default", name: "front" };
    const ports = [{ port: 80, targetPort: "http" }];
    await client.create(Service, { metadata: key, spec: { selector: { app: "front" }, ports } });
    await client.create(PodDisruptionBudget, {
      metadata: key,
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: "front" } } },
    });
    const named = { ...container, ports: [{ name: "http", containerPort: 8080 }] };
    await client.create(ReplicationController, {
      metadata: key,
      spec: { replicas: 2, selector: { app: "front" }, template: templateOf("front", { containers: [named] }) },
    });
    await soon(async () => {
      const [slice] = await client.list(EndpointSlice, { labels: { "kubernetes.io/service-name": "front" } });
      expect(slice?.ports).toEqual([{ name: "", port: 8080, protocol: "TCP" }]);
      expect(slice?.endpoints?.map(({ conditions }) => conditions?.ready)).toEqual([true, true]);
      const { subsets } = await client.get(Endpoints, key);
      expect(subsets?.[0]?.addresses).toHaveLength(2);
      expect((await client.get(PodDisruptionBudget, key)).status).toMatchObject({
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      });
    });
    await client.delete(Service, key);
    await gone(() => client.get(Endpoints, key));
    expect(warnings.filter((line) => line.includes("deprecated"))).toEqual([]);
  });
});

describe("the garbage collector", () => {
  const configMap = (name: string, namespace: string, owners: object[] = [], finalizers: string[] = []) => ({
    metadata: { name, namespace, ownerReferences: owners as never[], finalizers },
  });
  const referenceTo = ({ metadata }: ConfigMap) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: metadata.name,
    uid: metadata.uid ?? "",
    blockOwnerDeletion: true,
  });

  it("is not blocked by a cycle", async () => {
    const a = await client.create(ConfigMap, configMap("circle-a", "default"));
    const b = await client.create(ConfigMap, configMap("circle-b", "default", [referenceTo(a)]));
    await client.patch(ConfigMap, "default/circle-a", { metadata: { ownerReferences: [referenceTo(b)] } });
    await client.delete(ConfigMap, "default/circle-a", { propagationPolicy: "Foreground" });
    await gone(() => client.get(ConfigMap, "default/circle-a"));
    await gone(() => client.get(ConfigMap, "default/circle-b"));
  });

  it("ignores an owner in another namespace, and reports it", async () => {
    const namespace = await makeNamespace("elsewhere");
    const owner = await client.create(ConfigMap, configMap("owner", "default"));
    const child = await client.create(ConfigMap, configMap("child", namespace, [referenceTo(owner)]));
    await gone(() => client.get(ConfigMap, { namespace, name: "child" }));
    await soon(async () => {
      const events = await client.list(Event, { namespace });
      const event = events.find(({ reason }) => reason === "OwnerRefInvalidNamespace");
      expect(event).toMatchObject({ type: "Warning", involvedObject: { uid: child.metadata.uid } });
      expect(event?.message).toBe(
        `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "${namespace}"`,
      );
    });
  });

  it.each(["..", ".", "a/b", "%2e%2e"])("collects a dependent whose owner has an impossible name: %s", async (name) => {
    const kept = await client.create(ConfigMap, configMap("kept", "default"));
    const owner = { ...referenceTo(kept), name, uid: crypto.randomUUID() };
    await client.create(ConfigMap, configMap("of-nobody", "default", [owner]));
    await gone(() => client.get(ConfigMap, "default/of-nobody"));
    await client.delete(ConfigMap, kept);
  });

  it("collects dependents of custom objects whose definition was deleted", { timeout: 20_000 }, async () => {
    const Gadget = defineKind({
      group: "gone.example.com",
      version: "v1",
      kind: "Gadget",
      scope: "Namespaced",
      preserveUnknownFields: true,
    });
    await client.create(CustomResourceDefinition, Gadget.crd as CustomResourceDefinition);
    const names = Array.from({ length: 20 }, (_, index) => `gadget-${index}`);
    const owners = await soon(() =>
      Promise.all(
        names.map((name) => client.create(Gadget, { metadata: { generateName: `${name}-`, namespace: "default" } })),
      ),
    );
    const ownedBy = ({ apiVersion, kind, metadata: { name, uid = "" } }: (typeof owners)[number]) =>
      configMap(`of-${name}`, "default", [{ apiVersion, kind, name, uid }]);
    const children = await Promise.all(owners.map((owner) => client.create(ConfigMap, ownedBy(owner))));
    await client.delete(CustomResourceDefinition, Gadget.crd.metadata.name);
    await soon(async () => {
      const left = new Set(
        (await client.list(ConfigMap, { namespace: "default" })).map(({ metadata }) => metadata.name),
      );
      expect(children.filter(({ metadata }) => left.has(metadata.name))).toEqual([]);
    });
  });

  it("removes a deleted owner from an object that has another owner", async () => {
    const [a, b] = await Promise.all(
      ["left-a", "left-b"].map((name) => client.create(ConfigMap, configMap(name, "default"))),
    );
    if (!a || !b) throw new Error("both were created");
    await client.create(ConfigMap, configMap("left-child", "default", [referenceTo(a), referenceTo(b)]));
    await client.delete(ConfigMap, "default/left-a");
    await soon(async () =>
      expect(
        (await client.get(ConfigMap, "default/left-child")).metadata.ownerReferences?.map(({ name }) => name),
      ).toEqual(["left-b"]),
    );
  });
});

describe("a deleted namespace", () => {
  it("loses its pods first, and reports what blocks its deletion", async () => {
    const namespace = await makeNamespace("held");
    const finalizers = ["example.com/hold"];
    await client.create(Pod, {
      metadata: { name: "p", namespace, finalizers },
      spec: { containers: [container], terminationGracePeriodSeconds: 0 },
    });
    await client.create(ConfigMap, { metadata: { name: "kept", namespace, finalizers } });
    await client.delete(Namespace, namespace);
    const conditions = async () => (await client.get(Namespace, namespace)).status?.conditions;
    await soon(async () => {
      expect((await client.get(Pod, { namespace, name: "p" })).metadata.deletionTimestamp).toBeDefined();
      expect((await conditions())?.map(({ status }) => status)).toEqual(["False", "False", "False", "False", "False"]);
    });
    expect((await client.get(ConfigMap, { namespace, name: "kept" })).metadata.deletionTimestamp).toBeUndefined();
    await client.patch(Pod, { namespace, name: "p" }, { metadata: { finalizers: [] } });
    await soon(async () => {
      const remaining = (await conditions())?.filter(({ status }) => status === "True");
      expect(remaining?.map(({ message }) => message)).toEqual([
        "Some resources are remaining: configmaps. has 1 resource instances",
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
      ]);
    });
    await client.patch(ConfigMap, { namespace, name: "kept" }, { metadata: { finalizers: [] } });
    await gone(() => client.get(Namespace, namespace));
  });

  it("remains while a server that may hold some of its objects does not respond", async () => {
    const namespace = await makeNamespace("unknown-content");
    await client.create(ConfigMap, { metadata: { name: "known", namespace } });
    await client.create(APIService, {
      metadata: { name: "v1.away.example.com" },
      spec: {
        group: "away.example.com",
        version: "v1",
        groupPriorityMinimum: 1_000,
        versionPriority: 15,
        service: { namespace, name: "nobody" },
        insecureSkipTLSVerify: true,
      },
    });
    await soon(async () => {
      client.discovery.invalidate();
      expect(staleVersions(await client.discovery.groups())).toEqual([{ group: "away.example.com", version: "v1" }]);
    });
    await client.delete(Namespace, namespace);
    await soon(async () => {
      const { conditions = [] } = (await client.get(Namespace, namespace)).status ?? {};
      expect(conditions.filter(({ status }) => status === "True")).toMatchObject([
        {
          type: "NamespaceDeletionDiscoveryFailure",
          reason: "DiscoveryFailed",
          message:
            "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: " +
            "away.example.com/v1: stale GroupVersion discovery: away.example.com/v1",
        },
      ]);
    });
    await gone(() => client.get(ConfigMap, { namespace, name: "known" }));
    await client.delete(APIService, "v1.away.example.com");
    await gone(() => client.get(Namespace, namespace));
  });
});

describe("permissions and credentials", () => {
  it("fills in aggregated roles", async () => {
    const rules = [{ apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get"] }];
    await client.create(ClusterRole, {
      metadata: { name: "shop-view", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
      rules,
    });
    await soon(async () => expect((await client.get(ClusterRole, "view")).rules).toContainEqual(rules[0]));
  });

  it("signs approved requests with the server's client CA", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = createCertificationRequest({ commonName: "jane", organizations: ["dev"] }, privateKey);
    const csr = await client.create(CertificateSigningRequest, {
      metadata: { name: "jane" },
      spec: {
        request: Buffer.from(pem).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    });
    const approved = { type: "Approved", status: "True", reason: "Test", message: "" };
    await client
      .subResource("approval")
      .update(CertificateSigningRequest, "jane", { ...csr, status: { conditions: [approved] } });
    await soon(async () => {
      const { status } = await client.get(CertificateSigningRequest, "jane");
      const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
      expect(certificate.subject).toBe("O=dev\nCN=jane");
      expect(certificate.checkIssued(new X509Certificate(bed.plane.server.signingAuthority.certificate))).toBe(true);
    });
  });

  it("fills in token Secrets, and deletes them with their account", async () => {
    const annotations = { "kubernetes.io/service-account.name": "default" };
    const namespace = await makeNamespace("tokens");
    const key = { namespace, name: "token" };
    await client.create(Secret, { metadata: { ...key, annotations }, type: "kubernetes.io/service-account-token" });
    await soon(async () => {
      const { data } = await client.get(Secret, key);
      expect(Object.keys(data ?? {}).sort()).toEqual(["ca.crt", "namespace", "token"]);
    });
  });
});

it("runs the selected controllers, and knows their names", async () => {
  await expect(startControlPlane({ controllers: ["*", "-nonsense"] })).rejects.toThrow(
    '"nonsense" is not in the list of known controllers',
  );
  await using other = await startControlPlane({ controllers: ["*", "-serviceaccount-controller"] });
  const reader = new Client({ connection: other.connection() });
  await soon(async () => reader.get(ConfigMap, "default/kube-root-ca.crt"));
  const { status } = await soon(async () => {
    const node = await reader.get(Node, "kubewright-node");
    expect(isConditionTrue(node.status?.conditions, "Ready")).toBe(true);
    return node;
  });
  expect(status?.nodeInfo?.kubeletVersion).toBe(kubernetesVersion);
  await reader.close();
});
