import { get, post, type RequestStep, type Sequence } from "../runner/sequence.ts";
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  job,
  pod,
  replicaSet,
  secret,
  service,
  statefulSet,
  tableAccept,
} from "./objects.ts";

const asTable = (resource: string): RequestStep => get(`table of ${resource}`, resource, { accept: tableAccept });
const rbac = "rbac.authorization.k8s.io";

const roleRef = { apiGroup: rbac, kind: "Role", name: "r" };

export const tables: readonly Sequence[] = [
  {
    name: "tables-core",
    steps: [
      post("configmap", "~/configmaps", configMap("a", { k: "v" })),
      asTable("~/configmaps"),
      post("secret", "~/secrets", secret("a", { data: { k: "dg==" } })),
      asTable("~/secrets"),
      post("serviceaccount", "~/serviceaccounts", { metadata: { name: "a" } }),
      asTable("~/serviceaccounts"),
      get("table of namespaces", "/api/v1/namespaces/tables-core", { accept: tableAccept }),
      post("pod", "~/pods", pod("a")),
      asTable("~/pods"),
      post("service", "~/services", service("a", { clusterIP: "None" })),
      asTable("~/services"),
      post("external service", "~/services", service("b", { type: "ExternalName", externalName: "example.com" })),
      get("table of an external service", "~/services/b", { accept: tableAccept }),
      post("endpoints", "~/endpoints", {
        metadata: { name: "a" },
        subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
      }),
      asTable("~/endpoints"),
      post("node", "/api/v1/nodes", {
        metadata: { name: "table-node", labels: { "node-role.kubernetes.io/worker": "" } },
      }),
      get("table of a node", "/api/v1/nodes/table-node", { accept: tableAccept }),
      post("event", "~/events", {
        metadata: { name: "a" },
        involvedObject: { kind: "Pod", namespace: "tables-core", name: "a" },
        reason: "Began",
        message: "it began",
        type: "Normal",
      }),
      asTable("~/events"),
      asTable("events.k8s.io~/events"),
      post("claim", "~/persistentvolumeclaims", {
        metadata: { name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      asTable("~/persistentvolumeclaims"),
      post("volume", "/api/v1/persistentvolumes", {
        metadata: { name: "table-volume" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
      }),
      get("table of a volume", "/api/v1/persistentvolumes/table-volume", { accept: tableAccept }),
      post("limits", "~/limitranges", {
        metadata: { name: "a" },
        spec: { limits: [{ type: "Container", max: { cpu: "1" } }] },
      }),
      asTable("~/limitranges"),
      post("controller", "~/replicationcontrollers", {
        metadata: { name: "a" },
        spec: {
          selector: { app: "a" },
          template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      }),
      asTable("~/replicationcontrollers"),
      post("template", "~/podtemplates", {
        metadata: { name: "a" },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      }),
      asTable("~/podtemplates"),
    ],
  },
  {
    name: "tables-apps",
    steps: [
      post("deployment", "apps~/deployments", deployment("a")),
      asTable("apps~/deployments"),
      post("replicaset", "apps~/replicasets", replicaSet("a")),
      asTable("apps~/replicasets"),
      post("statefulset", "apps~/statefulsets", statefulSet("a")),
      asTable("apps~/statefulsets"),
      post("daemonset", "apps~/daemonsets", daemonSet("a")),
      asTable("apps~/daemonsets"),
      post("revision", "apps~/controllerrevisions", { metadata: { name: "a" }, revision: 3, data: { a: 1 } }),
      asTable("apps~/controllerrevisions"),
      post("job", "batch~/jobs", job("a")),
      asTable("batch~/jobs"),
      post("cronjob", "batch~/cronjobs", cronJob("a")),
      asTable("batch~/cronjobs"),
      post("autoscaler", "autoscaling/v2~/horizontalpodautoscalers", {
        metadata: { name: "a" },
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 3 },
      }),
      asTable("autoscaling/v2~/horizontalpodautoscalers"),
    ],
  },
  {
    name: "tables-others",
    steps: [
      post("ingress", "networking.k8s.io~/ingresses", {
        metadata: { name: "a" },
        spec: {
          rules: [
            {
              host: "a.example.com",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
              },
            },
          ],
        },
      }),
      asTable("networking.k8s.io~/ingresses"),
      post("ingress class", "/apis/networking.k8s.io/v1/ingressclasses", {
        metadata: { name: "table-class" },
        spec: { controller: "example.com/c" },
      }),
      asTable("/apis/networking.k8s.io/v1/ingressclasses"),
      post("policy", "networking.k8s.io~/networkpolicies", {
        metadata: { name: "a" },
        spec: { podSelector: { matchLabels: { a: "b" } } },
      }),
      asTable("networking.k8s.io~/networkpolicies"),
      post("budget", "policy~/poddisruptionbudgets", {
        metadata: { name: "a" },
        spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
      }),
      asTable("policy~/poddisruptionbudgets"),
      post("lease", "coordination.k8s.io~/leases", { metadata: { name: "a" }, spec: { holderIdentity: "me" } }),
      asTable("coordination.k8s.io~/leases"),
      post("slice", "discovery.k8s.io~/endpointslices", {
        metadata: { name: "a" },
        addressType: "IPv4",
        endpoints: [{ addresses: ["192.0.2.1"] }],
        ports: [{ port: 80 }],
      }),
      asTable("discovery.k8s.io~/endpointslices"),
      post("role", `${rbac}~/roles`, {
        metadata: { name: "r" },
        rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      }),
      asTable(`${rbac}~/roles`),
      post("binding", `${rbac}~/rolebindings`, {
        metadata: { name: "b" },
        roleRef,
        subjects: [
          { kind: "User", name: "bob" },
          { kind: "Group", name: "g" },
          { kind: "ServiceAccount", name: "s" },
        ],
      }),
      asTable(`${rbac}~/rolebindings`),
      get("table of a cluster role", `/apis/${rbac}/v1/clusterroles/view`, {
        accept: tableAccept,
        pick: ({ kind, columnDefinitions }) => ({ kind, columnDefinitions }),
      }),
      get("table of a cluster role binding", `/apis/${rbac}/v1/clusterrolebindings/cluster-admin`, {
        accept: tableAccept,
      }),
      asTable("/apis/scheduling.k8s.io/v1/priorityclasses"),
      post("storage class", "/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "table-storage" },
        provisioner: "example.com/p",
      }),
      asTable("/apis/storage.k8s.io/v1/storageclasses"),
      post("webhooks", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "table-hooks" },
      }),
      asTable("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"),
      asTable("/apis/certificates.k8s.io/v1/certificatesigningrequests"),
      post("runtime class", "/apis/node.k8s.io/v1/runtimeclasses", {
        metadata: { name: "table-runtime" },
        handler: "h",
      }),
      asTable("/apis/node.k8s.io/v1/runtimeclasses"),
    ],
  },
];
