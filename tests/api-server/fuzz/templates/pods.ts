import { inDefault, metadata, type Template } from "./template.ts";

/** A pod spec with many features. */
const podSpec = {
  containers: [
    {
      name: "c",
      image: "i",
      command: ["sh"],
      ports: [{ containerPort: 80, name: "http", protocol: "TCP", hostPort: 8080 }],
      env: [
        { name: "A", value: "b" },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } },
        { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
      ],
      envFrom: [{ prefix: "P_", configMapRef: { name: "cm" } }],
      resources: { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1", "example.com/gpu": "2" } },
      readinessProbe: {
        httpGet: { path: "/", port: 80, httpHeaders: [{ name: "X-A", value: "b" }] },
        periodSeconds: 1,
      },
      livenessProbe: { exec: { command: ["true"] }, initialDelaySeconds: 3, timeoutSeconds: 2, successThreshold: 1 },
      startupProbe: { tcpSocket: { port: "http" }, failureThreshold: 5 },
      lifecycle: { preStop: { exec: { command: ["true"] } }, postStart: { httpGet: { path: "/", port: "http" } } },
      volumeMounts: [
        { name: "v", mountPath: "/v", readOnly: true, mountPropagation: "None" },
        { name: "w", mountPath: "/w", subPath: "a" },
      ],
      securityContext: {
        privileged: false,
        runAsUser: 1000,
        runAsNonRoot: true,
        capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
        seccompProfile: { type: "RuntimeDefault" },
      },
      imagePullPolicy: "IfNotPresent",
      terminationMessagePolicy: "File",
    },
  ],
  initContainers: [{ name: "init", image: "i", restartPolicy: "Always" }],
  volumes: [
    { name: "v", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
    { name: "w", configMap: { name: "cm", items: [{ key: "a", path: "b/c", mode: 256 }], defaultMode: 420 } },
    { name: "s", secret: { secretName: "s", optional: true } },
    { name: "h", hostPath: { path: "/x", type: "Directory" } },
    { name: "p", persistentVolumeClaim: { claimName: "pvc" } },
    { name: "d", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    {
      name: "j",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", expirationSeconds: 3600, audience: "a" } },
          { configMap: { name: "cm" } },
        ],
      },
    },
  ],
  tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 30 }],
  nodeSelector: { disk: "ssd" },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "In", values: ["a"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { a: "b" } }, topologyKey: "kubernetes.io/hostname", namespaces: ["x"] },
      ],
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { labelSelector: {}, topologyKey: "zone" } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { a: "b" } } },
  ],
  securityContext: {
    runAsUser: 1,
    fsGroup: 2,
    supplementalGroups: [3],
    sysctls: [{ name: "kernel.shm_rmid_forced", value: "0" }],
  },
  imagePullSecrets: [{ name: "pull" }],
  hostAliases: [{ ip: "1.2.3.4", hostnames: ["foo.bar"] }],
  dnsPolicy: "None",
  dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a.b"], options: [{ name: "ndots", value: "2" }] },
  serviceAccountName: "sa",
  terminationGracePeriodSeconds: 5,
  hostname: "host",
  subdomain: "sub",
  readinessGates: [{ conditionType: "example.com/ready" }],
  schedulingGates: [{ name: "example.com/gate" }],
};

/** A smaller pod spec, for templates inside of other kinds. */
export const smallPodSpec = {
  containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, name: "http" }] }],
};

export const podTemplates: readonly Template[] = [
  {
    collection: inDefault("core", "pods"),
    object: { metadata: metadata("p"), spec: podSpec },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [
        { name: "c", ready: true, restartCount: 0, image: "i", imageID: "x", state: { running: {} } },
      ],
    },
  },
  {
    collection: inDefault("core", "pods"),
    object: { metadata: metadata("p-small"), spec: smallPodSpec },
  },
  {
    collection: inDefault("core", "podtemplates"),
    object: { metadata: metadata("pt"), template: { metadata: { labels: { a: "b" } }, spec: smallPodSpec } },
  },
];
