import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { builtinStrategies } from "./index-of-kinds.ts";

const now = Date.UTC(2026, 0, 1, 1);

/** Returns the cells of an object's row, keyed by column. */
function row(kind: string, fields: object): Record<string, unknown> {
  const object = {
    apiVersion: "v1",
    kind,
    metadata: { name: "x", creationTimestamp: "2026-01-01T00:00:00Z" },
    ...fields,
  } as KubeObject;
  return Object.fromEntries(
    (builtinStrategies[kind]?.columns ?? []).map((column) => [column.name, column.cell(object, now)]),
  );
}

it.each<[string, object, Record<string, unknown>]>([
  ["ConfigMap", { data: { a: "" }, binaryData: { b: "" } }, { Name: "x", Data: 2, Age: "60m" }],
  [
    "Service",
    {
      spec: {
        type: "LoadBalancer",
        clusterIPs: ["10.0.0.1"],
        ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }],
        selector: { b: "1", a: "2" },
      },
    },
    { "Cluster-IP": "10.0.0.1", "External-IP": "<pending>", "Port(s)": "80:30080/TCP", Selector: "a=2,b=1" },
  ],
  [
    "Service",
    { spec: { type: "ExternalName", externalName: "a.example" } },
    { "Cluster-IP": "<none>", "External-IP": "a.example", "Port(s)": "<none>" },
  ],
  [
    "Endpoints",
    { subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "fe80::1" }], ports: [{ port: 1 }, { port: 2 }] }] },
    { Endpoints: "1.1.1.1:1,[fe80::1]:1,1.1.1.1:2 + 1 more..." },
  ],
  [
    "Node",
    {
      metadata: { name: "n", labels: { "node-role.kubernetes.io/master": "", "kubernetes.io/role": "worker" } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: { kernelVersion: "6", architecture: "amd64" },
      },
    },
    {
      Status: "Ready,SchedulingDisabled",
      Roles: "master,worker",
      "Kernel-Version": "6 (amd64)",
      "Internal-IP": "<none>",
    },
  ],
  [
    "Event",
    {
      involvedObject: { kind: "Pod", name: "p" },
      message: " hi ",
      lastTimestamp: "2026-01-01T00:59:00Z",
      firstTimestamp: "2026-01-01T00:58:00Z",
      source: { component: "c", host: "h" },
    },
    { "Last Seen": "60s", "First Seen": "2m", Object: "pod/p", Message: "hi", Source: "c, h", Count: 1 },
  ],
  [
    "Event.events.k8s.io",
    {
      apiVersion: "events.k8s.io/v1",
      regarding: { kind: "Pod", name: "p" },
      note: "hi",
      eventTime: "2026-01-01T00:59:00Z",
    },
    { Object: "pod/p", Message: "hi", "Last Seen": "60s" },
  ],
  [
    "Job.batch",
    {
      spec: { parallelism: 2 },
      status: {
        startTime: "2026-01-01T00:00:00Z",
        completionTime: "2026-01-01T00:00:05Z",
        conditions: [{ type: "Complete", status: "True" }],
      },
    },
    { Status: "Complete", Completions: "0/1 of 2", Duration: "5s" },
  ],
  [
    "CronJob.batch",
    { spec: { schedule: "@daily", suspend: true } },
    { Timezone: "<none>", Suspend: "True", Active: 0, "Last Schedule": "<none>" },
  ],
  [
    "Ingress.networking.k8s.io",
    { spec: { rules: [{ host: "a" }, {}, { host: "b" }, { host: "c" }, { host: "d" }], tls: [{}] } },
    { Class: "<none>", Hosts: "a,b,c + 2 more...", Ports: "80, 443" },
  ],
  [
    "EndpointSlice.discovery.k8s.io",
    { ports: [{ port: 80 }, { name: "x" }, {}], endpoints: [] },
    { Ports: "80,x,*", Endpoints: "<unset>" },
  ],
  [
    "RoleBinding.rbac.authorization.k8s.io",
    {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "ServiceAccount", namespace: "n", name: "s" },
        { kind: "User", name: "u" },
      ],
    },
    { Role: "Role/r", Users: "u", Groups: "", ServiceAccounts: "n/s" },
  ],
  [
    "CertificateSigningRequest.certificates.k8s.io",
    { spec: { expirationSeconds: 3600 }, status: { conditions: [{ type: "Approved" }], certificate: "x" } },
    { Condition: "Approved,Issued", RequestedDuration: "60m", SignerName: "<none>" },
  ],
  [
    "ResourceQuota",
    { status: { hard: { pods: "10", "limits.cpu": "2000m" }, used: { pods: "1" } } },
    { Request: "pods: 1/10", Limit: "limits.cpu: 0/2" },
  ],
  [
    "PersistentVolumeClaim",
    {
      spec: { volumeName: "v" },
      status: { phase: "Bound", accessModes: ["ReadWriteMany", "ReadWriteOnce"], capacity: { storage: "1024Mi" } },
    },
    { Status: "Bound", Capacity: "1Gi", "Access Modes": "RWO,RWX", VolumeMode: "<unset>" },
  ],
  [
    "HorizontalPodAutoscaler.autoscaling",
    { spec: { metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } }] } },
    { Targets: "cpu: <unknown>/80%", MinPods: "<unset>" },
  ],
  [
    "StorageClass.storage.k8s.io",
    {
      metadata: { name: "s", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "p",
    },
    { Name: "s (default)", ReclaimPolicy: "Delete", AllowVolumeExpansion: false },
  ],
  ["NetworkPolicy.networking.k8s.io", { spec: { podSelector: {} } }, { "Pod-Selector": "<none>" }],
])("a row of %s", (kind, fields, expected) => {
  expect(row(kind, fields)).toMatchObject(expected);
});
