import { patch, post, type RequestStep, type Sequence } from "../runner/sequence.ts";
import { cronJob, daemonSet, deployment, job, pod, replicaSet, secret, service, statefulSet } from "./objects.ts";

const everything = {
  initContainers: [{ name: "init", image: "busybox" }],
  containers: [
    {
      name: "main",
      image: "registry.example.com:5000/app",
      ports: [{ containerPort: 80 }, { name: "dns", containerPort: 53, protocol: "UDP" }],
      env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
      resources: { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "0.25" } },
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: 80 } },
      startupProbe: { exec: { command: ["true"] } },
      lifecycle: { preStop: { httpGet: { port: "dns" } } },
      volumeMounts: [{ name: "config", mountPath: "/c" }],
    },
    { name: "digest", image: "app@sha256:0000000000000000000000000000000000000000000000000000000000000000" },
  ],
  volumes: [
    { name: "config", configMap: { name: "c" } },
    { name: "secret", secret: { secretName: "s" } },
    { name: "empty", emptyDir: {} },
    { name: "none" },
    { name: "down", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    {
      name: "projected",
      projected: { sources: [{ serviceAccountToken: { path: "t" } }, { configMap: { name: "c" } }] },
    },
    { name: "host", hostPath: { path: "/h" } },
    { name: "iscsi", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:x", lun: 0 } },
  ],
};

const hooks = {
  webhooks: [
    {
      name: "a.example.com",
      clientConfig: { service: { namespace: "n", name: "s" } },
      rules: [{ operations: ["CREATE"], apiGroups: ["nope.example.com"], apiVersions: ["v1"], resources: ["nopes"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};

const containerOf = (name: string, resources: object) => ({ name, image: "i", resources });

const make = (id: string, path: string, body: object): RequestStep => post(id, `${path}?dryRun=All`, body);

/** Creates a pod with requests and limits of its own. */
const podOf = (id: string, resources: object, containers: readonly object[], rest: object = {}): RequestStep => {
  const named = containers.map((each, i) => containerOf(`c${i}`, each));
  return make(id, "~/pods", pod("p", { resources, containers: named, ...rest }));
};

export const defaults: readonly Sequence[] = [
  {
    name: "defaults-pod-resources",
    steps: [
      podOf("limits of the pod", { limits: { cpu: "2", memory: "1Gi" } }, [{}]),
      podOf("requests of a container", { limits: { cpu: "2" } }, [{ requests: { cpu: "500m" } }, {}]),
      podOf("requests of all containers", { limits: { cpu: "2", memory: "1Gi" } }, [
        { requests: { cpu: "500m", memory: "64Mi" } },
        { requests: { cpu: "0.25" } },
      ]),
      podOf("limits of all containers", { requests: { cpu: "1" } }, [
        { limits: { cpu: "1", memory: "64Mi" } },
        { limits: { cpu: "1500m" } },
      ]),
      podOf("requests above the limits", { requests: { cpu: "4" } }, [{ limits: { cpu: "1" } }]),
      podOf("a container without limits", { requests: { cpu: "1" } }, [{ limits: { cpu: "1" } }, {}]),
      podOf("huge pages of a container", { limits: { cpu: "2" } }, [
        { limits: { "hugepages-2Mi": "4Mi", cpu: "1", memory: "64Mi" } },
      ]),
      podOf("huge pages of the pod", { limits: { "hugepages-2Mi": "4Mi", cpu: "1" } }, [{}]),
      podOf("an init container", { limits: { cpu: "4" } }, [{ requests: { cpu: "1" } }], {
        initContainers: [containerOf("i", { limits: { cpu: "3" } })],
      }),
      podOf("a sidecar", { requests: { memory: "64Mi" } }, [{ limits: { cpu: "1", memory: "64Mi" } }], {
        initContainers: [{ ...containerOf("i", { limits: { cpu: "3", memory: "1Mi" } }), restartPolicy: "Always" }],
      }),
      podOf("a device of a container", { limits: { cpu: "2" } }, [{ limits: { "example.com/gpu": "1", cpu: "1" } }]),
      podOf("guaranteed", { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } }, [{}]),
      podOf("empty", {}, [{ limits: { cpu: "1" } }]),
      podOf("empty lists", { limits: {}, requests: {} }, [{ limits: { cpu: "1" } }]),
      podOf("a device of the pod", { limits: { "example.com/gpu": "1" } }, [{}]),
      podOf("storage of the pod", { requests: { "ephemeral-storage": "1Gi" } }, [{}]),
      podOf("less than the containers", { limits: { cpu: "1" }, requests: { cpu: "100m" } }, [
        { requests: { cpu: "1" }, limits: { cpu: "2" } },
      ]),
      podOf("requests above the limits of the pod", { limits: { cpu: "1" }, requests: { cpu: "2" } }, [{}]),
      podOf("negative", { limits: { cpu: "-1" } }, [{}]),
      podOf("claims of the pod", { claims: [{ name: "a" }] }, [{}], {
        resourceClaims: [{ name: "a", resourceClaimName: "b" }],
      }),
      podOf("huge pages of a container alone", {}, [{ limits: { "hugepages-2Mi": "4Mi" } }]),
      podOf("requested huge pages", {}, [{ requests: { "hugepages-2Mi": "4Mi", cpu: "1" } }]),
      podOf("fewer huge pages", {}, [
        { requests: { "hugepages-2Mi": "2Mi" }, limits: { "hugepages-2Mi": "4Mi", cpu: "1" } },
      ]),
      podOf("part of a huge page", {}, [{ limits: { "hugepages-2Mi": "3Mi", cpu: "1" } }]),
      podOf("part of a device", {}, [{ limits: { "example.com/gpu": "500m" } }]),
      podOf("requested device", {}, [{ requests: { "example.com/gpu": "1" } }]),
      post(
        "resized pod",
        "~/pods",
        pod("r", { resources: { limits: { cpu: "2" } }, containers: [containerOf("c", {})] }),
      ),
      patch("resize", "merge", "~/pods/r/resize", {
        spec: { resources: { limits: { cpu: "3" }, requests: { cpu: "1" } } },
      }),
      patch("resize by a limit", "merge", "~/pods/r/resize", { spec: { resources: { limits: { memory: "64Mi" } } } }),
      patch("resize below a request", "merge", "~/pods/r/resize", { spec: { resources: { limits: { cpu: "500m" } } } }),
      patch("removed limit", "merge", "~/pods/r/resize", { spec: { resources: { limits: { memory: null } } } }),
      patch("removed resources", "merge", "~/pods/r/resize", { spec: { resources: null } }),
      patch("update without resources", "merge", "~/pods/r", {
        metadata: { labels: { a: "b" } },
        spec: { resources: null },
      }),
      patch("update of resources", "merge", "~/pods/r", { spec: { resources: { limits: { cpu: "4" } } } }),
      podOf("on Windows", { limits: { cpu: "1" } }, [{}], { os: { name: "windows" } }),
      make(
        "template",
        "apps~/deployments",
        deployment("d", {}, { ...pod("p").spec, resources: { limits: { cpu: "1" } } }),
      ),
    ],
  },
  {
    name: "defaults-workloads",
    steps: [
      make("pod", "~/pods", pod("p")),
      make("pod with everything", "~/pods", pod("p", everything)),
      make(
        "pod of the host's network",
        "~/pods",
        pod("p", { hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] }),
      ),
      make(
        "best effort and guaranteed",
        "~/pods",
        pod("p", { containers: [{ name: "c", image: "i:1", resources: { limits: { cpu: "1", memory: "1Gi" } } }] }),
      ),
      make("deployment", "apps~/deployments", deployment("d")),
      make("deployment, recreate", "apps~/deployments", deployment("d", { strategy: { type: "Recreate" } })),
      make(
        "deployment, partly rolling",
        "apps~/deployments",
        deployment("d", { strategy: { rollingUpdate: { maxSurge: 3 } } }),
      ),
      make("deployment, zero replicas", "apps~/deployments", deployment("d", { replicas: 0 })),
      make("deployment with everything", "apps~/deployments", deployment("d", {}, everything)),
      make("replicaset", "apps~/replicasets", replicaSet("r")),
      make("statefulset", "apps~/statefulsets", statefulSet("s")),
      make(
        "statefulset with claims",
        "apps~/statefulsets",
        statefulSet("s", {
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        }),
      ),
      make("statefulset, on delete", "apps~/statefulsets", statefulSet("s", { updateStrategy: { type: "OnDelete" } })),
      make("daemonset", "apps~/daemonsets", daemonSet("d")),
      make("job", "batch~/jobs", job("j")),
      make("job, indexed", "batch~/jobs", job("j", { completionMode: "Indexed", completions: 3, parallelism: 2 })),
      make("job, parallel only", "batch~/jobs", job("j", { parallelism: 2 })),
      make("cronjob", "batch~/cronjobs", cronJob("c")),
      make("controller", "~/replicationcontrollers", {
        metadata: { name: "r" },
        spec: { template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
      }),
      post(
        "resized pod",
        "~/pods",
        pod("r", { resources: { limits: { cpu: "2" } }, containers: [containerOf("c", {})] }),
      ),
      patch("resize", "merge", "~/pods/r/resize", {
        spec: { resources: { limits: { cpu: "3" }, requests: { cpu: "1" } } },
      }),
      patch("resize by a limit", "merge", "~/pods/r/resize", { spec: { resources: { limits: { memory: "64Mi" } } } }),
      patch("resize below a request", "merge", "~/pods/r/resize", { spec: { resources: { limits: { cpu: "500m" } } } }),
      patch("removed limit", "merge", "~/pods/r/resize", { spec: { resources: { limits: { memory: null } } } }),
      patch("removed resources", "merge", "~/pods/r/resize", { spec: { resources: null } }),
      patch("update without resources", "merge", "~/pods/r", {
        metadata: { labels: { a: "b" } },
        spec: { resources: null },
      }),
      patch("update of resources", "merge", "~/pods/r", { spec: { resources: { limits: { cpu: "4" } } } }),
      make("template", "~/podtemplates", {
        metadata: { name: "t" },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      }),
    ],
  },
  {
    name: "defaults-network",
    steps: [
      make("service", "~/services", service("s")),
      make("headless", "~/services", service("s", { clusterIP: "None" })),
      make("external name", "~/services", {
        metadata: { name: "s" },
        spec: { type: "ExternalName", externalName: "example.com" },
      }),
      make("node port", "~/services", service("s", { type: "NodePort" })),
      make("load balancer", "~/services", service("s", { type: "LoadBalancer" })),
      make("affinity", "~/services", service("s", { sessionAffinity: "ClientIP" })),
      make("target by name", "~/services", service("s", { ports: [{ name: "http", port: 80, targetPort: "web" }] })),
      make("external addresses", "~/services", service("s", { externalIPs: ["192.0.2.5"] })),
      make("endpoints", "~/endpoints", {
        metadata: { name: "e" },
        subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
      }),
      make("slice", "discovery.k8s.io~/endpointslices", {
        metadata: { name: "e" },
        addressType: "IPv4",
        endpoints: [{ addresses: ["192.0.2.1"] }],
        ports: [{ port: 80 }],
      }),
      make("policy", "networking.k8s.io~/networkpolicies", { metadata: { name: "p" }, spec: { podSelector: {} } }),
      make("policy with egress", "networking.k8s.io~/networkpolicies", {
        metadata: { name: "p" },
        spec: { podSelector: {}, egress: [{ ports: [{ port: 80 }] }] },
      }),
      make("ingress", "networking.k8s.io~/ingresses", {
        metadata: { name: "i" },
        spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
      }),
      make("ingress class", "/apis/networking.k8s.io/v1/ingressclasses", {
        metadata: { name: "i" },
        spec: { controller: "example.com/c", parameters: { kind: "K", name: "n" } },
      }),
    ],
  },
  {
    name: "defaults-others",
    steps: [
      make("secret", "~/secrets", secret("s")),
      make("secret from text", "~/secrets", secret("s", { data: { a: "YQ==" }, stringData: { a: "b", c: "d" } })),
      make("namespace", "/api/v1/namespaces", { metadata: { name: "defaulted" } }),
      make("service account", "~/serviceaccounts", { metadata: { name: "s" } }),
      make("node", "/api/v1/nodes", { metadata: { name: "n" } }),
      make("claim", "~/persistentvolumeclaims", {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      make("volume", "/api/v1/persistentvolumes", {
        metadata: { name: "v" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
      }),
      make("limits", "~/limitranges", {
        metadata: { name: "l" },
        spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1" } }] },
      }),
      make("quota", "~/resourcequotas", { metadata: { name: "q" }, spec: { hard: { pods: "2" } } }),
      make("autoscaler", "autoscaling/v2~/horizontalpodautoscalers", {
        metadata: { name: "h" },
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 },
      }),
      make("budget", "policy~/poddisruptionbudgets", {
        metadata: { name: "b" },
        spec: { selector: { matchLabels: { a: "b" } } },
      }),
      make("lease", "coordination.k8s.io~/leases", { metadata: { name: "l" } }),
      make("event", "~/events", {
        metadata: { name: "e" },
        involvedObject: { kind: "Pod", namespace: "defaults-others", name: "p" },
      }),
      make("event of events.k8s.io", "events.k8s.io~/events", {
        metadata: { name: "e" },
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "example.com/c",
        reportingInstance: "i",
        action: "Did",
        reason: "Because",
        type: "Normal",
        regarding: { kind: "Pod", namespace: "defaults-others", name: "p" },
      }),
      make("role", "rbac.authorization.k8s.io~/roles", { metadata: { name: "r" } }),
      make("role binding", "rbac.authorization.k8s.io~/rolebindings", {
        metadata: { name: "r" },
        roleRef: { kind: "Role", name: "r" },
        subjects: [{ kind: "User", name: "bob" }],
      }),
      make("validating webhook", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "w" },
        ...hooks,
      }),
      make("mutating webhook", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
        metadata: { name: "w" },
        ...hooks,
      }),
      make("priority class", "/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "p" }, value: 5 }),
      make("storage class", "/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "s" },
        provisioner: "example.com/p",
      }),
      make("csi driver", "/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: "c.example.com" }, spec: {} }),
      make("runtime class", "/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "r" }, handler: "h" }),
    ],
  },
];
