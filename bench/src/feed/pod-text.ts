import process from "node:process";
import { type FeedObject, gap, hex, sentAnnotation, timeOf } from "./feed-object.ts";

const apps = ["shop", "ledger", "courier", "search", "mailer", "gallery"] as const;

/**
 * Returns the text of a Pod, formatted like an API server does: 5 to 6 KB, including 2 KB of `managedFields` of three
 * managers.
 */
export function podText({ index, version, revision }: FeedObject): string {
  const [toVersion, toSent, toTime, toRestarts, toEnd] = podParts(index);
  const changed = timeOf(revision * 10);
  return `${toVersion}${version}${toSent}${process.hrtime.bigint()}${toTime}${changed}${toRestarts}${revision}${toEnd}`;
}

const known: (readonly string[])[] = [];

function podParts(index: number): readonly string[] {
  const parts = known[index] ?? podWithGaps(index).split(gap);
  if (index < 20_000) known[index] = parts;
  return parts;
}

function podWithGaps(index: number): string {
  const app = apps[index % apps.length] ?? apps[0];
  const template = hex(index >> 2, 10);
  const metadata = {
    name: `${app}-${template}-${hex(index, 6)}${index}`,
    generateName: `${app}-${template}-`,
    namespace: `team-${index % 50}`,
    uid: `${hex(index * 7, 8)}-5f0e-4c1d-9b3a-${hex(index * 13, 12)}`,
    resourceVersion: gap,
    generation: 1,
    creationTimestamp: timeOf(0),
    labels: {
      "app.kubernetes.io/managed-by": "Helm",
      "app.kubernetes.io/name": app,
      "app.kubernetes.io/version": `2.${index % 7}.1`,
      "pod-template-hash": template,
    },
    annotations: {
      [sentAnnotation]: gap,
      "checksum/config": hex(index * 31, 64),
      "kubectl.kubernetes.io/restartedAt": timeOf(0),
      "prometheus.io/port": "9090",
      "prometheus.io/scrape": "true",
    },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: `${app}-${template}`,
        uid: `${hex((index >> 2) * 11, 8)}-1c2b-4f7e-8a6d-${hex((index >> 2) * 17, 12)}`,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: managedFields(hex((index >> 2) * 11, 8), index),
  };
  const pod = { kind: "Pod", apiVersion: "v1", metadata, spec: spec(app, index), status: status(app, index) };
  return JSON.stringify(pod).replace(`"restartCount":-1`, `"restartCount":${gap}`);
}

const names = ["LOG_LEVEL", "DATABASE_URL", "FEATURE_FLAGS"];

function spec(app: string, index: number): object {
  const volume = `kube-api-access-${hex(index, 5)}`;
  const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  return {
    volumes: [
      {
        name: volume,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
      { name: "config", configMap: { name: `${app}-config`, defaultMode: 420 } },
    ],
    containers: [
      {
        name: "server",
        image: imageOf(app, index),
        args: ["serve", "--config=/etc/app/config.yaml"],
        ports: [
          { name: "http", containerPort: 8080, protocol: "TCP" },
          { name: "metrics", containerPort: 9090, protocol: "TCP" },
        ],
        env: [
          ...names.map((name) => ({ name, value: `${name.toLowerCase()}-of-${app}` })),
          { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
        ],
        resources: { limits: { cpu: "1", memory: "512Mi" }, requests: { cpu: "100m", memory: "256Mi" } },
        volumeMounts: [
          { name: "config", mountPath: "/etc/app" },
          { name: volume, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
        ],
        readinessProbe: { httpGet: { path: "/readyz", port: "http", scheme: "HTTP" }, ...probe },
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: app,
    nodeName: `node-${index % 200}`,
    securityContext: { fsGroup: 2000 },
    schedulerName: "default-scheduler",
    priority: 0,
    enableServiceLinks: true,
  };
}

function status(app: string, index: number): object {
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const hostIP = `192.168.0.${index % 200}`;
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
  const conditions = types.map((type) => ({
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: type === "Ready" ? gap : timeOf(0),
  }));
  return {
    phase: "Running",
    conditions,
    hostIP,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: timeOf(0),
    containerStatuses: [
      {
        name: "server",
        state: { running: { startedAt: timeOf(3) } },
        lastState: {},
        ready: true,
        restartCount: -1,
        image: imageOf(app, index),
        imageID: `registry.example.com/teams/${app}/server@sha256:${hex(index % 31, 64)}`,
        containerID: `containerd://${hex(index * 5, 64)}`,
        started: true,
      },
    ],
    qosClass: "Burstable",
  };
}

const imageOf = (app: string, index: number): string =>
  `registry.example.com/teams/${app}/server:2.${index % 7}.${index % 31}`;

/** Returns the fields of three managers: the controller that created the pod, a user who annotated it, and the kubelet. */
function managedFields(owner: string, index: number): readonly object[] {
  const all = (...fields: string[]): Record<string, object> =>
    Object.fromEntries(fields.map((field) => [field === "." ? "." : `f:${field}`, {}]));
  const condition = { ...all(".", "lastProbeTime", "lastTransitionTime", "status", "type") };
  const probe = all(".", "failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds");
  const container = {
    ...all(".", "args", "image", "imagePullPolicy", "name"),
    "f:env": Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, all(".", "name", "value")])),
    "f:livenessProbe": probe,
    "f:readinessProbe": probe,
    "f:ports": { 'k:{"containerPort":8080,"protocol":"TCP"}': all(".", "containerPort", "name", "protocol") },
    "f:resources": { ".": {}, "f:limits": all(".", "cpu", "memory"), "f:requests": all(".", "cpu", "memory") },
  };
  const entry = (manager: string, fieldsV1: object, more: object = {}): object => ({
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: timeOf(index % 60),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  });
  return [
    entry("kube-controller-manager", {
      "f:metadata": {
        "f:generateName": {},
        "f:labels": all(".", "app.kubernetes.io/name", "app.kubernetes.io/version", "pod-template-hash"),
        "f:ownerReferences": { ".": {}, [`k:{"uid":"${owner}"}`]: {} },
      },
      "f:spec": {
        "f:containers": { 'k:{"name":"server"}': container },
        ...all("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "terminationGracePeriodSeconds"),
      },
    }),
    entry("kubectl-rollout", { "f:metadata": { "f:annotations": all("kubectl.kubernetes.io/restartedAt") } }),
    entry(
      "kubelet",
      {
        "f:status": {
          "f:conditions": Object.fromEntries(
            ["ContainersReady", "Initialized", "Ready"].map((type) => [`k:{"type":"${type}"}`, condition]),
          ),
          ...all("containerStatuses", "hostIP", "hostIPs", "phase", "startTime"),
          "f:podIPs": { ".": {}, [`k:{"ip":"10.0.0.${index & 255}"}`]: all(".", "ip") },
        },
      },
      { subresource: "status" },
    ),
  ];
}
