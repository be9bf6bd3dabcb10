import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../../server/api-server.ts";
import { ApiClient } from "../../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";

let server: ApiServer;
let admin: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
  admin = new ApiClient(server);
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

const pod = (name: string, resources: object = {}, more: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "nginx", resources }], ...more },
});

/** Creates a quota with the status that its controller would have written. */
async function makeQuota(
  namespace: string,
  spec: { hard: Record<string, string> } & object,
  used: object,
): Promise<void> {
  await admin.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const { body } = await admin.post(path, { metadata: { name: "q" }, spec });
  await admin.put(`${path}/q/status`, { ...body, status: { hard: spec.hard, used } });
}

const usedIn = async (namespace: string): Promise<object> =>
  (await admin.get(`/api/v1/namespaces/${namespace}/resourcequotas/q`)).body.status.used;

describe("ResourceQuota", () => {
  it("counts admitted objects and rejects those that would exceed a quota, with upstream's message", async () => {
    await makeQuota("counted", { hard: { pods: "1" } }, { pods: "0" });
    const path = "/api/v1/namespaces/counted/pods";
    expect((await admin.post(path, pod("a"))).status).toBe(201);
    expect(await usedIn("counted")).toEqual({ pods: "1" });
    expect((await admin.post(path, pod("b"))).body).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    });
  });

  it("never admits more than the quota, however many requests arrive at once", async () => {
    await makeQuota("crowded", { hard: { configmaps: "5" } }, { configmaps: "0" });
    const path = "/api/v1/namespaces/crowded/configmaps";
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => admin.post(path, { metadata: { name: `c${i}` } })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(await usedIn("crowded")).toEqual({ configmaps: "5" });
  });

  it("reserves nothing for a dry run", async () => {
    await makeQuota("dry", { hard: { secrets: "1" } }, { secrets: "0" });
    const path = "/api/v1/namespaces/dry/secrets";
    expect((await admin.post(`${path}?dryRun=All`, { metadata: { name: "s" } })).status).toBe(201);
    expect(await usedIn("dry")).toEqual({ secrets: "0" });
  });

  it("requires requests and limits for counted resources", async () => {
    const hard = { "requests.cpu": "1", "limits.memory": "1Gi" };
    await makeQuota("said", { hard }, { "requests.cpu": "0", "limits.memory": "0" });
    const path = "/api/v1/namespaces/said/pods";
    expect((await admin.post(path, pod("a"))).body.message).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    );
    const resources = { requests: { cpu: "600m" }, limits: { memory: "100Mi" } };
    expect((await admin.post(path, pod("a", resources))).status).toBe(201);
    expect(await usedIn("said")).toEqual({ "limits.memory": "100Mi", "requests.cpu": "600m" });
    expect((await admin.post(path, pod("b", resources))).body.message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  it("rejects resources that have not been counted yet", async () => {
    await makeQuota("unknown", { hard: { pods: "1" } }, {});
    expect((await admin.post("/api/v1/namespaces/unknown/pods", pod("a"))).body.message).toBe(
      'pods "a" is forbidden: status unknown for quota: q, resources: pods',
    );
  });

  it("counts by scope", async () => {
    await makeQuota("scoped", { hard: { pods: "1" }, ...{ scopes: ["BestEffort"] } }, { pods: "0" });
    const path = "/api/v1/namespaces/scoped/pods";
    expect((await admin.post(path, pod("burstable", { requests: { cpu: "1m" } }))).status).toBe(201);
    expect(await usedIn("scoped")).toEqual({ pods: "0" });
    expect((await admin.post(path, pod("best"))).status).toBe(201);
    expect((await admin.post(path, pod("more"))).status).toBe(403);
  });
});

describe("LimitRanger", () => {
  beforeAll(async () => {
    await admin.post(`${core}/limitranges`, {
      metadata: { name: "limits" },
      spec: {
        limits: [
          {
            type: "Container",
            min: { cpu: "10m" },
            max: { cpu: "1" },
            default: { cpu: "500m" },
            defaultRequest: { cpu: "100m" },
          },
          { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
        ],
      },
    });
  });

  it("sets missing values of containers, with an annotation", async () => {
    const { body } = await admin.post(`${core}/pods`, pod("defaulted"));
    expect(body.spec.containers[0].resources).toEqual({ limits: { cpu: "500m" }, requests: { cpu: "100m" } });
    expect(body.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu request for container c; cpu limit for container c",
    );
  });

  it("rejects values outside the limits, with upstream's message", async () => {
    const greedy = pod("greedy", { requests: { cpu: "5m" }, limits: { cpu: "2" } });
    expect((await admin.post(`${core}/pods`, greedy)).body.message).toBe(
      'pods "greedy" is forbidden: [minimum cpu usage per Container is 10m, but request is 5m, maximum cpu usage per Container is 1, but limit is 2]',
    );
    const claim = {
      metadata: { name: "big" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
    };
    expect((await admin.post(`${core}/persistentvolumeclaims`, claim)).body.message).toBe(
      'persistentvolumeclaims "big" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    );
  });
});

describe("default classes", () => {
  it("are set on ingresses and claims without one", async () => {
    const marked = (annotation: string, name: string) => ({ name, annotations: { [annotation]: "true" } });
    await admin.post("/apis/networking.k8s.io/v1/ingressclasses", {
      metadata: marked("ingressclass.kubernetes.io/is-default-class", "front"),
      spec: { controller: "example.com/front" },
    });
    await admin.post("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: marked("storageclass.kubernetes.io/is-default-class", "fast"),
      provisioner: "example.com/fast",
    });
    const backend = { service: { name: "s", port: { number: 80 } } };
    const ingress = { metadata: { name: "i" }, spec: { defaultBackend: backend } };
    const { body } = await admin.post("/apis/networking.k8s.io/v1/namespaces/default/ingresses", ingress);
    expect(body.spec.ingressClassName).toBe("front");
    const claim = {
      metadata: { name: "small" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    };
    const { body: made } = await admin.post(`${core}/persistentvolumeclaims`, claim);
    expect(made.spec.storageClassName).toBe("fast");
    made.spec.resources.requests.storage = "2Mi";
    expect((await admin.put(`${core}/persistentvolumeclaims/small`, made)).status).toBeGreaterThanOrEqual(400);
  });
});

describe("RuntimeClass", () => {
  it("sets a pod's overhead and node selector, and must exist", async () => {
    await admin.post("/apis/node.k8s.io/v1/runtimeclasses", {
      metadata: { name: "vm" },
      handler: "vm",
      overhead: { podFixed: { cpu: "10m" } },
      scheduling: { nodeSelector: { vm: "yes" } },
    });
    const { body } = await admin.post(`${core}/pods`, pod("vm", {}, { runtimeClassName: "vm" }));
    expect(body.spec).toMatchObject({ overhead: { cpu: "10m" }, nodeSelector: { vm: "yes" } });
    expect((await admin.post(`${core}/pods`, pod("no", {}, { runtimeClassName: "no" }))).body.message).toBe(
      'pods "no" is forbidden: pod rejected: RuntimeClass "no" not found',
    );
  });
});

describe("PodSecurity", () => {
  const labels = (level: string) => ({ "pod-security.kubernetes.io/enforce": level });

  it("admits pods that comply with the namespace's level, and reports violations", async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "strict", labels: labels("restricted") } });
    const path = "/api/v1/namespaces/strict/pods";
    expect((await admin.post(path, pod("a", {}, { hostNetwork: true }))).body.message).toBe(
      'pods "a" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    const securityContext = {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    };
    const fine = { metadata: { name: "b" }, spec: { containers: [{ name: "c", image: "nginx", securityContext }] } };
    expect((await admin.post(path, fine)).status).toBe(201);
  });

  it("warns about existing pods when the level is raised, and about invalid labels", async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "raised" } });
    await admin.post("/api/v1/namespaces/raised/pods", pod("old", {}, { hostPID: true }));
    const answer = await admin.patch("/api/v1/namespaces/raised", "merge", {
      metadata: { labels: labels("baseline") },
    });
    expect(answer.headers.warning).toBe(
      '299 - "existing pods in namespace \\"raised\\" violate the new PodSecurity enforce level \\"baseline:latest\\"", 299 - "old: host namespaces"',
    );
    const wrong = await admin.post("/api/v1/namespaces", { metadata: { name: "wrong", labels: labels("none") } });
    expect(wrong.body.message).toBe(
      'Namespace "wrong" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "none": must be one of privileged, baseline, restricted',
    );
  });
});

describe("the selection of plugins", () => {
  it("is made by name", async () => {
    const other = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["LimitRanger", "ServiceAccount"] });
    const client = new ApiClient(other);
    await client.post(`${core}/limitranges`, {
      metadata: { name: "limits" },
      spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
    });
    expect((await client.post(`${core}/pods`, pod("free"))).body.spec.containers[0].resources).toEqual({});
    client.close();
    await other.stop();
    await expect(ApiServer.start({ tls: false, enableAdmissionPlugins: ["Nonsense"] })).rejects.toThrow(
      'enable-admission-plugins plugin "Nonsense" is unknown',
    );
  });
});
