import { Deployment, Pod, ReplicaSet, Secret } from "@kubewright/client/kinds";
import { networksAnnotation, purposeLabel } from "../api/group.ts";
import type { FakeCluster } from "./fake-cluster.ts";

const controlledBy = (kind: string, namespace: string, name: string) => [
  { apiVersion: "apps/v1", kind, name, uid: `${kind}-${namespace}-${name}`, controller: true },
];

export const networks = JSON.stringify({
  type: "ovn4nfv",
  interface: [
    { defaultGateway: "false", interface: "net1", name: "ovn-net1" },
    { defaultGateway: false, interface: "net2", name: "ovn-net2" },
  ],
});

/**
 * Adds a CNF to a cluster: its Deployment, a ReplicaSet with an older template, the current ReplicaSet, and its pods.
 */
export function putCnf(
  cluster: FakeCluster,
  purpose: string,
  addresses: readonly (string | undefined)[],
  annotations: Record<string, string> = {},
  namespace = "cnfs",
): void {
  const labels = { [purposeLabel]: purpose, "cnf-account-secret": "account" };
  const template = { metadata: { labels, annotations: { [networksAnnotation]: networks } } };
  cluster.put(Deployment, {
    metadata: { name: purpose, namespace, labels },
    spec: { replicas: addresses.length, selector: { matchLabels: labels }, template },
  });
  for (const revision of ["old", "new"])
    cluster.put(ReplicaSet, {
      metadata: {
        name: `${purpose}-${revision}`,
        namespace,
        labels,
        ownerReferences: controlledBy("Deployment", namespace, purpose),
      },
    });
  for (const [index, address] of addresses.entries())
    putPod(cluster, purpose, index, address, 0, annotations, namespace);
  cluster.put(Secret, {
    metadata: { name: "account", namespace },
    data: { password: Buffer.from("pass").toString("base64") },
  });
}

/** Adds or changes a CNF's pod in a cluster. */
export function putPod(
  cluster: FakeCluster,
  purpose: string,
  index: number,
  address: string | undefined,
  restartCount = 0,
  annotations: Record<string, string> = {},
  namespace = "cnfs",
): void {
  cluster.put(Pod, {
    metadata: {
      name: `${purpose}-${index}`,
      namespace,
      annotations: { [networksAnnotation]: networks, ...annotations },
      labels: { [purposeLabel]: purpose, "cnf-account-secret": "account" },
      ownerReferences: controlledBy("ReplicaSet", namespace, `${purpose}-new`),
    },
    status: {
      phase: "Running",
      ...(address === undefined ? {} : { podIP: address }),
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "cnf", ready: true, restartCount, image: "cnf", imageID: "" }],
    },
  });
}
