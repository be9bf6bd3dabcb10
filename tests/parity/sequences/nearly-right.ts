import { patch, post, put, type RequestStep, remove, type Sequence } from "../runner/sequence.ts";

const bad = (id: string, path: string, body: object): RequestStep => post(id, `${path}?dryRun=All`, body);
const changed = (id: string, path: string, body: object): RequestStep => patch(id, "merge", `${path}?dryRun=All`, body);
const named = (name: string, rest: object = {}): object => ({ metadata: { name }, ...rest });
const container = { name: "c", image: "i" };
const storage = "storage.k8s.io";
const cluster = (group: string, resource: string): string => `/apis/${group}/v1/${resource}`;
const jobSpec = (rest: object): object => ({
  template: { spec: { containers: [container], restartPolicy: "Never" } },
  ...rest,
});
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 1 };
const autoscaler = (metric: object, rest: object = {}): object =>
  named("h", {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: "D", name: "d", apiVersion: "apps/v1" },
      metrics: [metric],
      ...rest,
    },
  });
const service = (spec: object): object => named("s", { spec: { ports: [{ port: 80 }], ...spec } });
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const source = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
const sites = "apps~/deployments";

/** Requests with a single error, for which a run of random changes once found a different answer. */
export const nearlyRight: readonly Sequence[] = [
  {
    name: "nearly-right-storage",
    steps: [
      post(
        "driver",
        cluster(storage, "csidrivers"),
        named("nr.example.com", { spec: { tokenRequests: [{ audience: "a" }] } }),
      ),
      changed("driver changed", `${cluster(storage, "csidrivers")}/nr.example.com`, {
        spec: { attachRequired: false, fsGroupPolicy: "None", volumeLifecycleModes: ["Other"] },
      }),
      changed("driver otherwise", `${cluster(storage, "csidrivers")}/nr.example.com`, {
        spec: { storageCapacity: true },
      }),
      remove("driver gone", `${cluster(storage, "csidrivers")}/nr.example.com`),
      bad(
        "node drivers",
        cluster(storage, "csinodes"),
        named("nr", {
          spec: {
            drivers: [
              { name: "", nodeID: "", topologyKeys: ["", "a b"] },
              { name: "", nodeID: "x", topologyKeys: null },
            ],
          },
        }),
      ),
      bad("no drivers", cluster(storage, "csinodes"), named("nr", { spec: { drivers: [] } })),
      bad(
        "attachment",
        cluster(storage, "volumeattachments"),
        named("nr", { spec: { attacher: "", nodeName: "A", source: {} } }),
      ),
      bad(
        "topologies",
        cluster(storage, "storageclasses"),
        named("nr", {
          provisioner: "a/b",
          parameters: { "": "" },
          allowedTopologies: [{ matchLabelExpressions: [{ key: "", values: [] }] }, {}],
        }),
      ),
      bad("attributes", cluster(storage, "volumeattributesclasses"), named("nr", { driverName: "d" })),
      post("claim", "~/persistentvolumeclaims", named("c", { spec: { ...claim, dataSource: source } })),
      changed("claim changed", "~/persistentvolumeclaims/c", { spec: { volumeMode: "Block", selector: {} } }),
      bad(
        "claim of nothing",
        "~/persistentvolumeclaims",
        named("d", { spec: { ...claim, dataSource: { kind: "X" } } }),
      ),
      post(
        "volume",
        "/api/v1/persistentvolumes",
        named("nr-volume", {
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            csi: { driver: "d", volumeHandle: "h" },
          },
        }),
      ),
      changed("volume changed", "/api/v1/persistentvolumes/nr-volume", { spec: { csi: { volumeHandle: "" } } }),
      bad("volume without a name", "/api/v1/persistentvolumes", { spec: {} }),
    ],
  },
  {
    name: "nearly-right-batch",
    steps: [
      bad("job without a name", "batch~/jobs", { spec: jobSpec({}) }),
      bad(
        "policies",
        "batch~/jobs",
        named("j", {
          spec: jobSpec({
            ...indexed,
            podFailurePolicy: {
              rules: [{ action: "X", onExitCodes: { operator: "", values: [0, 0] } }, { action: "FailIndex" }],
            },
            successPolicy: { rules: [{ succeededIndexes: "2,1", succeededCount: 9 }, {}] },
            podReplacementPolicy: "TerminatingOrFailed",
            managedBy: "x",
          }),
        }),
      ),
      post("job", "batch~/jobs", named("j", { spec: jobSpec({ suspend: false }) })),
      changed("job changed", "batch~/jobs/j", { spec: { template: { spec: { hostNetwork: true } } } }),
      changed("job without labels", "batch~/jobs/j", { spec: { template: { metadata: { labels: null } } } }),
    ],
  },
  {
    name: "nearly-right-autoscaling",
    steps: [
      bad("no such metric", "autoscaling/v2~/horizontalpodautoscalers", autoscaler({ type: "X" })),
      bad(
        "two metrics",
        "autoscaling/v2~/horizontalpodautoscalers",
        autoscaler({ type: "Pods", pods: {}, external: {} }),
      ),
      bad(
        "object",
        "autoscaling/v2~/horizontalpodautoscalers",
        autoscaler({ type: "Object", object: { describedObject: {} } }),
      ),
      bad(
        "container",
        "autoscaling/v2~/horizontalpodautoscalers",
        autoscaler({
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "A", target: { type: "X", averageUtilization: 0 } },
        }),
      ),
      bad(
        "behavior",
        "autoscaling/v2~/horizontalpodautoscalers",
        autoscaler(
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } } },
          { behavior: { scaleUp: { selectPolicy: "X", policies: [{ type: "X", value: 0, periodSeconds: 9999 }] } } },
        ),
      ),
    ],
  },
  {
    name: "nearly-right-network",
    steps: [
      bad("app protocol", "~/services", service({ ports: [{ port: 80, appProtocol: "a b" }] })),
      bad("port left out", "~/services", service({ ports: [{ name: "a" }] })),
      bad(
        "affinity",
        "~/services",
        service({ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
      ),
      bad(
        "balancer's things",
        "~/services",
        service({
          loadBalancerClass: "x",
          loadBalancerSourceRanges: ["10.0.0.0/8"],
          healthCheckNodePort: 30000,
          trafficDistribution: "X",
        }),
      ),
      bad("loopback", "~/services", service({ externalIPs: ["127.0.0.1"] })),
      bad(
        "endpoints",
        "~/endpoints",
        named("e", {
          subsets: [
            {
              addresses: [{ ip: "", hostname: "a.b", nodeName: "A" }, { ip: "127.0.0.1" }],
              ports: [{ port: 0 }, { name: "A", port: 1, appProtocol: "-" }],
            },
            {},
          ],
        }),
      ),
      bad(
        "class parameters",
        cluster("networking.k8s.io", "ingressclasses"),
        named("nr", {
          spec: { controller: "a/b", parameters: { apiGroup: "-", kind: "a/b", name: "", scope: "X", namespace: "A" } },
        }),
      ),
      bad(
        "except",
        "networking.k8s.io~/networkpolicies",
        named("n", {
          spec: {
            podSelector: {},
            ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["x", "11.0.0.0/16"] } }] }],
          },
        }),
      ),
      bad(
        "backend",
        "networking.k8s.io~/ingresses",
        named("i", { spec: { defaultBackend: { resource: { apiGroup: "-", kind: "", name: "a/b" } } } }),
      ),
      bad(
        "old topology",
        "discovery.k8s.io~/endpointslices",
        named("s", {
          addressType: "IPv4",
          endpoints: [{ addresses: ["1.2.3.4"], deprecatedTopology: { a: "b" } }],
        }),
      ),
    ],
  },
  {
    name: "nearly-right-patches",
    steps: [
      post(
        "deployment",
        sites,
        named("d", {
          spec: {
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
          },
        }),
      ),
      patch("number for a text", "strategic", `${sites}/d`, { metadata: { labels: { a: 1 } } }),
      patch("map for a text", "strategic", `${sites}/d`, { metadata: { labels: { a: {} } } }),
      patch("text for a map", "strategic", `${sites}/d`, { metadata: { labels: "a" } }),
      patch("text for a list", "strategic", `${sites}/d`, { spec: { template: { spec: { volumes: "a" } } } }),
      patch("number for a word", "strategic", `${sites}/d`, { spec: { strategy: { type: 1 } } }),
      patch("map for a word", "merge", `${sites}/d`, { spec: { template: { spec: { restartPolicy: {} } } } }),
      patch("nothing", "strategic", `${sites}/d`, "null"),
      patch("the whole taken away", "json", `${sites}/d`, [{ op: "replace", path: "", value: null }]),
      patch("bad label", "merge", `${sites}/d`, { metadata: { labels: { a: "-" } } }),
      post("map", "~/configmaps", named("m")),
      patch("bad label of a map", "merge", "~/configmaps/m", { metadata: { labels: { a: "-" } } }),
      post("gated", "~/pods", named("p", { spec: { containers: [container], schedulingGates: [{ name: "a/b" }] } })),
      patch("pod changed", "merge", "~/pods/p", { spec: { hostname: "x", nodeSelector: { a: "b" } } }),
      put("no protobuf", "~/configmaps/m", "{}", { contentType: "application/vnd.kubernetes.protobuf" }),
      remove("options that are no protobuf", "~/configmaps/m", "{}", {
        contentType: "application/vnd.kubernetes.protobuf",
      }),
      remove("options without a message", "~/configmaps/m", "k8s\0", {
        contentType: "application/vnd.kubernetes.protobuf",
      }),
    ],
  },
];
