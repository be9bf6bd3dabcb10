import { patch, post, put, type RequestStep, type Sequence } from "../runner/sequence.ts";
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  job,
  pod,
  podSpec,
  secret,
  service,
  statefulSet,
} from "./objects.ts";

const bad = (id: string, path: string, body: object): RequestStep => post(id, `${path}?dryRun=All`, body);
const named = (name: string) => ({ metadata: { name } });
const container = (rest: object) => pod("p", { containers: [{ name: "c", image: "i", ...rest }] });
const long = "x".repeat(254);

const projecting = (id: string, ...sources: readonly object[]): RequestStep =>
  bad(
    id,
    "~/pods",
    pod("p", { ...podSpec(), serviceAccountName: "s", volumes: [{ name: "v", projected: { sources } }] }),
  );
const files = (name: string, ...paths: readonly string[]) => ({
  name,
  items: paths.map((path) => ({ key: "k", path })),
});
const downward = (...paths: readonly string[]) => ({
  items: paths.map((path) => ({ path, fieldRef: { fieldPath: "metadata.name" } })),
});

export const validation: readonly Sequence[] = [
  {
    name: "projected-paths",
    steps: [
      projecting("twice in a secret", { secret: files("s", "a", "a", "b") }),
      projecting("secret and config map", { secret: files("s", "a") }, { configMap: files("c", "b", "a", "a") }),
      projecting("config map and downward API", { configMap: files("c", "a") }, { downwardAPI: downward("b", "a") }),
      projecting("bundle", { downwardAPI: downward("a") }, { clusterTrustBundle: { name: "t", path: "a" } }),
      projecting(
        "bundles without a path",
        { clusterTrustBundle: { name: "t" } },
        { clusterTrustBundle: { name: "u" } },
      ),
      projecting(
        "certificates",
        { clusterTrustBundle: { name: "t", path: "a" } },
        {
          podCertificate: { signerName: "example.com/s", keyType: "ED25519", keyPath: "a", certificateChainPath: "b" },
        },
        { podCertificate: { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "b" } },
      ),
      projecting("token with a bad path", { serviceAccountToken: { path: "../a" } }, { serviceAccountToken: {} }),
      projecting(
        "token with bad times",
        ...[1, 2 ** 33].map((expirationSeconds) => ({
          serviceAccountToken: { path: "a", expirationSeconds },
        })),
      ),
      projecting("bad paths", { secret: files("s", "../a", "../a", "/b") }),
      projecting("no key", {
        secret: {
          name: "",
          items: [
            { key: "", path: "a" },
            { key: "k", path: "a", mode: 512 },
          ],
        },
      }),
      projecting("two sources in one", {
        secret: files("s", "a"),
        configMap: files("c", "a"),
        downwardAPI: downward("b"),
      }),
    ],
  },
  {
    name: "invalid-metadata",
    steps: [
      bad("upper case name", "~/configmaps", configMap("Upper")),
      bad("long name", "~/configmaps", configMap(long)),
      bad("service name", "~/services", service("A_b")),
      bad("numeric service name", "~/services", service("1abc", { clusterIP: "None" })),
      bad("namespace with a dot", "/api/v1/namespaces", named("a.b")),
      bad("long namespace", "/api/v1/namespaces", named("n".repeat(64))),
      bad("role with a slash", "rbac.authorization.k8s.io~/roles", named("a/b")),
      bad("role with a colon", "rbac.authorization.k8s.io~/roles", named("a:b")),
      bad("role with a percent", "rbac.authorization.k8s.io~/roles", named("a%b")),
      bad("label key", "~/configmaps", configMap("a", {}, { labels: { "a b": "c" } })),
      bad("label value", "~/configmaps", configMap("a", {}, { labels: { a: "b c" } })),
      bad("long label value", "~/configmaps", configMap("a", {}, { labels: { a: "b".repeat(64) } })),
      bad("label prefix", "~/configmaps", configMap("a", {}, { labels: { "A_/b": "c" } })),
      bad("annotation key", "~/configmaps", configMap("a", {}, { annotations: { "a b": "c" } })),
      bad("large annotations", "~/configmaps", configMap("a", {}, { annotations: { a: "b".repeat(262_145) } })),
      bad("several at once", "~/configmaps", configMap("A_", { "k/k": "v" }, { labels: { "a b": "c d" } })),
    ],
  },
  {
    name: "invalid-config",
    steps: [
      bad("key", "~/configmaps", configMap("a", { "k/k": "v" })),
      bad("key of dots", "~/configmaps", configMap("a", { "..": "v" })),
      bad("overlap", "~/configmaps", { ...configMap("a", { k: "v" }), binaryData: { k: "AA==" } }),
      bad("too large", "~/configmaps", configMap("a", { k: "v".repeat(1_048_577) })),
      bad("secret key", "~/secrets", secret("a", { data: { "k/k": "dg==" } })),
      bad("tls without keys", "~/secrets", secret("a", { type: "kubernetes.io/tls" })),
      bad("basic auth without keys", "~/secrets", secret("a", { type: "kubernetes.io/basic-auth" })),
      bad("ssh without keys", "~/secrets", secret("a", { type: "kubernetes.io/ssh-auth" })),
      bad(
        "docker config",
        "~/secrets",
        secret("a", { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "eA==" } }),
      ),
      bad("docker config missing", "~/secrets", secret("a", { type: "kubernetes.io/dockerconfigjson" })),
      bad("token without an account", "~/secrets", secret("a", { type: "kubernetes.io/service-account-token" })),
      post("secret", "~/secrets", secret("b", { type: "Opaque" })),
      put("another type", "~/secrets/b", secret("b", { type: "other" })),
    ],
  },
  {
    name: "invalid-pods",
    steps: [
      bad("no spec", "~/pods", named("p")),
      bad("no containers", "~/pods", pod("p", { containers: [] })),
      bad("no image", "~/pods", pod("p", { containers: [{ name: "c" }] })),
      bad("no container name", "~/pods", pod("p", { containers: [{ image: "i" }] })),
      bad("container name", "~/pods", pod("p", { containers: [{ name: "C_", image: "i" }] })),
      bad(
        "same name twice",
        "~/pods",
        pod("p", {
          containers: [
            { name: "c", image: "i" },
            { name: "c", image: "i" },
          ],
        }),
      ),
      bad("port out of range", "~/pods", container({ ports: [{ containerPort: 70000 }] })),
      bad("port missing", "~/pods", container({ ports: [{ name: "x" }] })),
      bad("port protocol", "~/pods", container({ ports: [{ containerPort: 80, protocol: "FOO" }] })),
      bad(
        "port names twice",
        "~/pods",
        container({
          ports: [
            { containerPort: 80, name: "a" },
            { containerPort: 81, name: "a" },
          ],
        }),
      ),
      bad("port name", "~/pods", container({ ports: [{ containerPort: 80, name: "A_B" }] })),
      bad("environment name", "~/pods", container({ env: [{ name: "" }] })),
      bad(
        "two sources",
        "~/pods",
        container({ env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
      ),
      bad(
        "unknown field path",
        "~/pods",
        container({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.nope" } } }] }),
      ),
      bad("mount of nothing", "~/pods", container({ volumeMounts: [{ name: "v", mountPath: "/m" }] })),
      bad(
        "mount twice",
        "~/pods",
        pod("p", {
          containers: [
            {
              name: "c",
              image: "i",
              volumeMounts: [
                { name: "v", mountPath: "/m" },
                { name: "v", mountPath: "/m" },
              ],
            },
          ],
          volumes: [{ name: "v" }],
        }),
      ),
      bad("volume names twice", "~/pods", pod("p", { ...podSpec(), volumes: [{ name: "v" }, { name: "v" }] })),
      bad(
        "two kinds of volume",
        "~/pods",
        pod("p", { ...podSpec(), volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] }),
      ),
      bad("pull policy", "~/pods", container({ imagePullPolicy: "Sometimes" })),
      bad("restart policy", "~/pods", pod("p", { ...podSpec(), restartPolicy: "Sometimes" })),
      bad("dns policy", "~/pods", pod("p", { ...podSpec(), dnsPolicy: "None" })),
      bad("negative grace", "~/pods", pod("p", { ...podSpec(), terminationGracePeriodSeconds: -5 })),
      bad("negative deadline", "~/pods", pod("p", { ...podSpec(), activeDeadlineSeconds: -5 })),
      bad("request above limit", "~/pods", container({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } })),
      bad("negative request", "~/pods", container({ resources: { requests: { cpu: "-1" } } })),
      bad("unknown resource", "~/pods", container({ resources: { requests: { nope: "1" } } })),
      bad("probe without handler", "~/pods", container({ livenessProbe: {} })),
      bad(
        "probe with two handlers",
        "~/pods",
        container({ livenessProbe: { tcpSocket: { port: 1 }, httpGet: { port: 1 } } }),
      ),
      bad("probe's port", "~/pods", container({ livenessProbe: { tcpSocket: { port: 0 } } })),
      bad(
        "liveness success threshold",
        "~/pods",
        container({ livenessProbe: { successThreshold: 2, tcpSocket: { port: 1 } } }),
      ),
      bad("node selector", "~/pods", pod("p", { ...podSpec(), nodeSelector: { "a b": "c" } })),
      bad(
        "toleration",
        "~/pods",
        pod("p", { ...podSpec(), tolerations: [{ operator: "Exists", value: "x", key: "k" }] }),
      ),
      bad("host name", "~/pods", pod("p", { ...podSpec(), hostname: "A_b" })),
      bad("service account name", "~/pods", pod("p", { ...podSpec(), serviceAccountName: "A_b" })),
      bad(
        "init container name taken",
        "~/pods",
        pod("p", { ...podSpec(), initContainers: [{ name: "main", image: "i" }] }),
      ),
      bad("unknown priority class", "~/pods", pod("p", { ...podSpec(), priorityClassName: "nope" })),
      post("pod", "~/pods", pod("live")),
      patch("restart policy changed", "merge", "~/pods/live", { spec: { restartPolicy: "Never" } }),
      patch("container added", "strategic", "~/pods/live", { spec: { containers: [{ name: "other", image: "i" }] } }),
      patch("image emptied", "strategic", "~/pods/live", { spec: { containers: [{ name: "main", image: "" }] } }),
      patch("image changed", "strategic", "~/pods/live", {
        spec: { containers: [{ name: "main", image: "nginx:9" }] },
      }),
      patch("toleration added", "merge", "~/pods/live", { spec: { tolerations: [{ key: "a", operator: "Exists" }] } }),
    ],
  },
  {
    name: "invalid-workloads",
    steps: [
      bad("no selector", "apps~/deployments", deployment("d", { selector: undefined })),
      bad("empty selector", "apps~/deployments", deployment("d", { selector: {} })),
      bad("selector does not match", "apps~/deployments", deployment("d", { selector: { matchLabels: { a: "z" } } })),
      bad(
        "bad selector",
        "apps~/deployments",
        deployment("d", { selector: { matchExpressions: [{ key: "a", operator: "Foo" }] } }),
      ),
      bad("negative replicas", "apps~/deployments", deployment("d", { replicas: -1 })),
      bad("no template", "apps~/deployments", deployment("d", { template: undefined })),
      bad("unknown strategy", "apps~/deployments", deployment("d", { strategy: { type: "Foo" } })),
      bad(
        "rolling parameters when recreating",
        "apps~/deployments",
        deployment("d", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
      ),
      bad(
        "both zero",
        "apps~/deployments",
        deployment("d", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ),
      bad(
        "percentage",
        "apps~/deployments",
        deployment("d", { strategy: { rollingUpdate: { maxSurge: "a%", maxUnavailable: "101%" } } }),
      ),
      bad("restart policy", "apps~/deployments", deployment("d", {}, { ...podSpec(), restartPolicy: "Never" })),
      bad(
        "deadline below ready seconds",
        "apps~/deployments",
        deployment("d", { minReadySeconds: 10, progressDeadlineSeconds: 5 }),
      ),
      bad("negative history", "apps~/deployments", deployment("d", { revisionHistoryLimit: -1 })),
      bad("empty spec", "apps~/deployments", { metadata: { name: "d" }, spec: {} }),
      post("deployment", "apps~/deployments", deployment("live")),
      patch("selector changed", "json", "apps~/deployments/live", [
        { op: "replace", path: "/spec/selector/matchLabels/app", value: "z" },
        { op: "replace", path: "/spec/template/metadata/labels/app", value: "z" },
      ]),
      bad("stateful set policy", "apps~/statefulsets", statefulSet("s", { podManagementPolicy: "Foo" })),
      post("stateful set", "apps~/statefulsets", statefulSet("live")),
      patch("stateful set's service", "merge", "apps~/statefulsets/live", { spec: { serviceName: "other" } }),
      bad(
        "daemon set restart policy",
        "apps~/daemonsets",
        daemonSet("d", {
          template: { metadata: { labels: { app: "d" } }, spec: { ...podSpec(), restartPolicy: "Never" } },
        }),
      ),
      bad("job restart policy", "batch~/jobs", job("j", { template: { spec: podSpec() } })),
      bad("negative parallelism", "batch~/jobs", job("j", { parallelism: -1, completions: -1, backoffLimit: -1 })),
      bad("selector of a job", "batch~/jobs", job("j", { selector: { matchLabels: { a: "b" } } })),
      bad("indexed without completions", "batch~/jobs", job("j", { completionMode: "Indexed" })),
      post("job", "batch~/jobs", job("live")),
      patch("completions changed", "merge", "batch~/jobs/live", { spec: { completions: 5 } }),
      patch("template changed", "strategic", "batch~/jobs/live", {
        spec: { template: { spec: { containers: [{ name: "main", image: "x" }] } } },
      }),
      bad("schedule", "batch~/cronjobs", cronJob("c", { schedule: "x" })),
      bad("no schedule", "batch~/cronjobs", cronJob("c", { schedule: "" })),
      bad("time zone", "batch~/cronjobs", cronJob("c", { timeZone: "Mars/Base" })),
      bad("time zone in the schedule", "batch~/cronjobs", cronJob("c", { schedule: "TZ=UTC 0 * * * *" })),
      bad("long cronjob name", "batch~/cronjobs", cronJob("c".repeat(53))),
      bad("concurrency policy", "batch~/cronjobs", cronJob("c", { concurrencyPolicy: "Foo" })),
    ],
  },
  {
    name: "invalid-network",
    steps: [
      bad("no ports", "~/services", service("s", { ports: [] })),
      bad("port out of range", "~/services", service("s", { ports: [{ port: 0 }] })),
      bad("two ports without names", "~/services", service("s", { ports: [{ port: 80 }, { port: 81 }] })),
      bad(
        "names twice",
        "~/services",
        service("s", {
          ports: [
            { name: "a", port: 80 },
            { name: "a", port: 81 },
          ],
        }),
      ),
      bad(
        "ports twice",
        "~/services",
        service("s", {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 80 },
          ],
        }),
      ),
      bad("type", "~/services", service("s", { type: "Foo" })),
      bad("address", "~/services", service("s", { clusterIP: "nope" })),
      bad("address out of range", "~/services", service("s", { clusterIP: "192.0.2.1" })),
      bad("external name", "~/services", service("s", { type: "ExternalName", externalName: "" })),
      bad(
        "external name with an address",
        "~/services",
        service("s", { type: "ExternalName", externalName: "a.b", clusterIP: "None" }),
      ),
      bad("node port of a cluster address", "~/services", service("s", { ports: [{ port: 80, nodePort: 30001 }] })),
      bad(
        "node port out of range",
        "~/services",
        service("s", { type: "NodePort", ports: [{ port: 80, nodePort: 1 }] }),
      ),
      bad("affinity", "~/services", service("s", { sessionAffinity: "Foo" })),
      bad("external address", "~/services", service("s", { externalIPs: ["nope"] })),
      bad("selector", "~/services", service("s", { selector: { "a b": "c" } })),
      bad("protocol", "~/services", service("s", { ports: [{ port: 80, protocol: "FOO" }] })),
      post("service", "~/services", service("live")),
      patch("address changed", "merge", "~/services/live", { spec: { clusterIP: "None", clusterIPs: ["None"] } }),
      patch("address removed", "merge", "~/services/live", { spec: { clusterIP: null, clusterIPs: null } }),
      patch("to external name", "merge", "~/services/live", {
        spec: { type: "ExternalName", externalName: "example.com" },
      }),
      bad("ingress without rules", "networking.k8s.io~/ingresses", { metadata: { name: "i" }, spec: {} }),
      bad("ingress path type", "networking.k8s.io~/ingresses", {
        metadata: { name: "i" },
        spec: {
          rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "s", port: { number: 80 } } } }] } }],
        },
      }),
      bad("ingress host", "networking.k8s.io~/ingresses", {
        metadata: { name: "i" },
        spec: { rules: [{ host: "A_b" }] },
      }),
      bad("policy port", "networking.k8s.io~/networkpolicies", {
        metadata: { name: "p" },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 0 }] }] },
      }),
      bad("policy type", "networking.k8s.io~/networkpolicies", {
        metadata: { name: "p" },
        spec: { podSelector: {}, policyTypes: ["Foo"] },
      }),
      bad("policy cidr", "networking.k8s.io~/networkpolicies", {
        metadata: { name: "p" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] },
      }),
      bad("slice address type", "discovery.k8s.io~/endpointslices", {
        metadata: { name: "e" },
        addressType: "Foo",
        endpoints: [],
      }),
      bad("slice address", "discovery.k8s.io~/endpointslices", {
        metadata: { name: "e" },
        addressType: "IPv4",
        endpoints: [{ addresses: ["x"] }],
      }),
    ],
  },
  {
    name: "invalid-others",
    steps: [
      bad("role without verbs", "rbac.authorization.k8s.io~/roles", {
        metadata: { name: "r" },
        rules: [{ apiGroups: [""], resources: ["pods"] }],
      }),
      bad("role without resources", "rbac.authorization.k8s.io~/roles", {
        metadata: { name: "r" },
        rules: [{ verbs: ["get"] }],
      }),
      bad("binding without a role", "rbac.authorization.k8s.io~/rolebindings", { metadata: { name: "r" } }),
      bad("binding's subject", "rbac.authorization.k8s.io~/rolebindings", {
        metadata: { name: "r" },
        roleRef: { kind: "Role", name: "r" },
        subjects: [{ kind: "Foo", name: "x" }],
      }),
      post("binding", "rbac.authorization.k8s.io~/rolebindings", {
        metadata: { name: "live" },
        roleRef: { kind: "Role", name: "r" },
      }),
      put("another role", "rbac.authorization.k8s.io~/rolebindings/live", {
        metadata: { name: "live" },
        roleRef: { kind: "Role", name: "x" },
      }),
      bad("lease duration", "coordination.k8s.io~/leases", {
        metadata: { name: "l" },
        spec: { leaseDurationSeconds: 0 },
      }),
      bad("lease transitions", "coordination.k8s.io~/leases", {
        metadata: { name: "l" },
        spec: { leaseTransitions: -1 },
      }),
      bad("budget with both", "policy~/poddisruptionbudgets", {
        metadata: { name: "b" },
        spec: { minAvailable: 1, maxUnavailable: 1 },
      }),
      bad("budget negative", "policy~/poddisruptionbudgets", { metadata: { name: "b" }, spec: { minAvailable: -1 } }),
      bad("autoscaler", "autoscaling/v2~/horizontalpodautoscalers", {
        metadata: { name: "h" },
        spec: { minReplicas: 5, maxReplicas: 3 },
      }),
      bad("quota", "~/resourcequotas", { metadata: { name: "q" }, spec: { hard: { pods: "-1" } } }),
      bad("limits", "~/limitranges", {
        metadata: { name: "l" },
        spec: { limits: [{ type: "Container", max: { cpu: "1" }, min: { cpu: "2" } }] },
      }),
      bad("claim without anything", "~/persistentvolumeclaims", { metadata: { name: "c" }, spec: {} }),
      bad("claim mode", "~/persistentvolumeclaims", {
        metadata: { name: "c" },
        spec: { accessModes: ["Foo"], resources: { requests: { storage: "1Gi" } } },
      }),
      bad("volume without anything", "/api/v1/persistentvolumes", { metadata: { name: "v" }, spec: {} }),
      bad("priority class", "/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "system-x" },
        value: 2_000_000_001,
      }),
      bad("storage class", "/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "s" } }),
      bad("request for a certificate", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
        metadata: { name: "c" },
        spec: { request: "eA==" },
      }),
      bad("webhook without anything", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "w" },
        webhooks: [{ name: "x" }],
      }),
      bad("event elsewhere", "~/events", {
        metadata: { name: "e" },
        involvedObject: { kind: "Pod", namespace: "default", name: "p" },
      }),
      bad("node taints", "/api/v1/nodes", {
        metadata: { name: "n" },
        spec: { taints: [{ key: "a b", effect: "Foo" }] },
      }),
    ],
  },
];
