import { aggregateFieldErrors, type KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy, StrategyContext } from "@kubewright/apiserver/registry";
import { systemRandom } from "@kubewright/clock";
import { describe, expect, it } from "vitest";
import { builtinStrategies } from "./index-of-kinds.ts";

const context: StrategyContext = {
  user: { name: "admin", groups: [] },
  nowMs: 0,
  namespace: "default",
  dryRun: false,
};

function strategyOf(kind: string): KindStrategy {
  const strategy = builtinStrategies[kind];
  if (!strategy) throw new Error(`no strategy of ${kind}`);
  return strategy;
}

/** Returns the errors in an update to a new object, with kube-apiserver's messages. */
function update(kind: string, fields: object, change: object): string {
  const strategy = strategyOf(kind);
  const make = (extra: object): KubeObject => {
    const object = structuredClone({ apiVersion: "v1", kind, metadata: { name: "x", uid: "u" }, ...fields, ...extra });
    strategy.applyDefaults?.(object);
    return object;
  };
  const old = make({});
  strategy.prepareForCreate?.(old, context, systemRandom);
  const next = structuredClone(old);
  const wanted = make(change);
  for (const key of Object.keys(change)) Object.assign(next, { [key]: Reflect.get(wanted, key) });
  strategy.prepareForUpdate?.(next, old, context);
  const errors = strategy.validateUpdate
    ? strategy.validateUpdate(next, old, context)
    : strategy.validate?.(next, context);
  return aggregateFieldErrors(errors ?? []);
}

const containers = [{ name: "c", image: "nginx" }];
const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
const selector = { matchLabels: { a: "b" } };
const wider = { matchLabels: { a: "b", x: "y" } };
const immutableSelector = 'spec.selector: Invalid value: {"matchLabels":{"a":"b","x":"y"}}: field is immutable';
const mismatch = 'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';

describe("immutable fields", () => {
  it.each<[string, object, object, string]>([
    [
      "Pod",
      { spec: { containers } },
      { spec: { containers: [{ name: "c", image: "x:2", imagePullPolicy: "Always" }] } },
      "",
    ],
    [
      "Pod",
      { spec: { containers } },
      { spec: { containers: [{ ...containers[0], command: ["x"] }] } },
      "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: containers[0].command",
    ],
    [
      "Pod",
      { spec: { containers, activeDeadlineSeconds: 10 } },
      { spec: { containers, activeDeadlineSeconds: 20 } },
      "spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value",
    ],
    [
      "ConfigMap",
      { data: { a: "b" }, immutable: true },
      { data: { a: "c" }, immutable: false },
      "[immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]",
    ],
    ["Secret", { data: {} }, { type: "foo/bar" }, 'type: Invalid value: "foo/bar": field is immutable'],
    [
      "Deployment.apps",
      { spec: { selector, template } },
      { spec: { selector: wider, template } },
      `[${mismatch}, ${immutableSelector}]`,
    ],
    [
      "DaemonSet.apps",
      { spec: { selector, template } },
      { spec: { selector: wider, template } },
      `[${immutableSelector}, ${mismatch}]`,
    ],
    [
      "StatefulSet.apps",
      { spec: { selector, template, serviceName: "s" } },
      { spec: { selector, template, serviceName: "t" } },
      'spec.serviceName: Invalid value: "t": field is immutable',
    ],
    [
      "Service",
      { spec: { ports: [{ port: 80 }], clusterIP: "10.96.0.9" } },
      { spec: { ports: [{ port: 80 }], clusterIP: "10.96.77.77" } },
      'spec.clusterIPs[0]: Invalid value: ["10.96.77.77"]: may not change once set',
    ],
    [
      "RoleBinding.rbac.authorization.k8s.io",
      { roleRef: { kind: "Role", name: "x" } },
      { roleRef: { kind: "Role", name: "y" } },
      'roleRef: Invalid value: {"kind":"Role","name":"y","apiGroup":"rbac.authorization.k8s.io"}: field is immutable',
    ],
    [
      "PriorityClass.scheduling.k8s.io",
      { value: 5 },
      { value: 6, preemptionPolicy: "Never" },
      '[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]',
    ],
    ["RuntimeClass.node.k8s.io", { handler: "h" }, { handler: "i" }, 'handler: Invalid value: "i": field is immutable'],
    [
      "ControllerRevision.apps",
      { data: { a: 1 } },
      { data: { a: 2 } },
      'data: Invalid value: {"a":2}: field is immutable',
    ],
  ])("%s", (kind, fields, change, expected) => {
    expect(update(kind, fields, change)).toBe(expected);
  });
});

describe("values that stay unchanged", () => {
  it("addresses of a Service that the update omits", () => {
    const strategy = strategyOf("Service");
    const old = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: {
        type: "NodePort",
        clusterIP: "10.96.0.9",
        clusterIPs: ["10.96.0.9"],
        ports: [{ port: 80, protocol: "TCP", nodePort: 30_080 }],
      },
    };
    const next = { ...old, spec: { type: "NodePort", ports: [{ port: 80, protocol: "TCP" }] } };
    strategy.prepareForUpdate?.(next, old, context);
    expect(next.spec).toMatchObject({
      clusterIP: "10.96.0.9",
      clusterIPs: ["10.96.0.9"],
      ports: [{ nodePort: 30_080 }],
    });
  });

  it("the spec of a Namespace and the status of a Node", () => {
    const namespace = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "n" },
      spec: { finalizers: ["kubernetes"] },
    };
    const emptied = { ...namespace, spec: { finalizers: [] } };
    strategyOf("Namespace").prepareForUpdate?.(emptied, namespace, context);
    expect(emptied.spec.finalizers).toEqual(["kubernetes"]);

    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { capacity: { cpu: "1" } } };
    const changed = { ...node, status: { capacity: { cpu: "9" } } };
    strategyOf("Node").prepareForUpdate?.(changed, node, context);
    expect(changed.status.capacity.cpu).toBe("1");
  });
});

it("a claim without a class may get one, and then no other", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  expect(update("PersistentVolumeClaim", { spec }, { spec: { ...spec, storageClassName: "standard" } })).toBe("");
  const classed = { ...spec, storageClassName: "standard" };
  const other = update("PersistentVolumeClaim", { spec: classed }, { spec: { ...spec, storageClassName: "fast" } });
  expect(other).toContain("spec is immutable after creation except resources.requests and volumeAttributesClassName");
});

it("rejects a status with impossible counts", () => {
  const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, status };
  const errors = strategyOf("Deployment.apps").validateStatusUpdate?.(object, object, context) ?? [];
  expect(aggregateFieldErrors(errors)).toBe(
    "[status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas]",
  );
});

it("only running pods have a grace period", () => {
  const grace = strategyOf("Pod").gracePeriodSeconds;
  const pod = (spec: object, status: object = {}): KubeObject =>
    ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec, status }) as KubeObject;
  expect(grace?.(pod({}), 5)).toBe(0);
  expect(grace?.(pod({ nodeName: "n" }), undefined)).toBe(30);
  expect(grace?.(pod({ nodeName: "n", terminationGracePeriodSeconds: 7 }), undefined)).toBe(7);
  expect(grace?.(pod({ nodeName: "n" }), -1)).toBe(1);
  expect(grace?.(pod({ nodeName: "n" }, { phase: "Failed" }), 5)).toBe(0);
});
