import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { expect, it } from "vitest";
import { NodeAuthorizer, nodeNameOf } from "./node.ts";

const node = { name: "system:node:n1", groups: ["system:nodes"] };
const object = (name: string, more: object): ReadonlyObject => {
  const made = { apiVersion: "v1", kind: "Thing", metadata: { name, namespace: "ns" }, ...more };
  return made;
};
const podOnNode = object("p", {
  spec: {
    nodeName: "n1",
    serviceAccountName: "sa",
    volumes: [
      { secret: { secretName: "s" } },
      { configMap: { name: "c" } },
      { persistentVolumeClaim: { claimName: "claim" } },
    ],
    resourceClaims: [{ resourceClaimName: "devices" }],
  },
});
const mirror = object("m", {
  metadata: { name: "m", namespace: "ns", annotations: { "kubernetes.io/config.mirror": "x" } },
  spec: { nodeName: "n1", volumes: [{ secret: { secretName: "mirrored" } }] },
});
const volume = (name: string, claim: string, secret: string): ReadonlyObject =>
  object(name, {
    spec: {
      claimRef: { namespace: "ns", name: claim },
      csi: { nodeStageSecretRef: { name: secret, namespace: "ns" } },
    },
  });
const volumes = [
  volume("pv", "claim", "driver"),
  volume("pv-other", "elsewhere", "driver-other"),
  object("pv-free", {}),
];
const objects: Readonly<Record<string, ReadonlyObject>> = {
  "pods/ns/p": podOnNode,
  "pods/ns/far": object("far", { spec: { nodeName: "n2" } }),
  "volumeattachments//va": object("va", { spec: { nodeName: "n1" } }),
  "volumeattachments//va-far": object("va-far", { spec: { nodeName: "n2" } }),
  "resourceslices//slice": object("slice", { spec: { nodeName: "n1" } }),
  "resourceslices//slice-far": object("slice-far", { spec: { nodeName: "n2" } }),
  ...Object.fromEntries(volumes.map((each) => [`persistentvolumes//${each.metadata.name}`, each])),
};
const authorizer = new NodeAuthorizer(
  {
    object: async (_group, resource, namespace, name) => objects[`${resource}/${namespace}/${name}`],
    podsOnNode: async (namespace, name) => (namespace === "ns" && name === "n1" ? [podOnNode, mirror] : []),
    persistentVolumes: async () => volumes,
  },
  async () => [{ verbs: ["get"], apiGroups: [""], resources: ["services"] }],
);

const unrelated = "no relationship found between node 'n1' and this object";
const onlyReads = "can only read resources of this type";
const onlyGets = "can only get individual resources of this type";
const noSubresource = "cannot get subresource";

/**
 * Requests as `verb resource[.group][/subresource] [namespace/]name`; the name `-` means none. The result is the reason for a rejection,
 * or `true` if the request is allowed.
 */
const cases: readonly (readonly [request: string, answer: true | string])[] = [
  ["get services ns/x", true],
  ["list services ns/-", ""],
  ...["secrets/s", "secrets/driver", "configmaps/c", "serviceaccounts/sa"].flatMap((which) => {
    const [resource, name] = which.split("/");
    return ["get", "list", "watch"]
      .filter((verb) => resource !== "serviceaccounts" || verb === "get")
      .map((verb) => [`${verb} ${resource} ns/${name}`, true] as const);
  }),
  ...["secrets/other", "secrets/mirrored", "secrets/driver-other", "configmaps/other", "serviceaccounts/other"].map(
    (which) => [`get ${which.replace("/", " ns/")}`, unrelated] as const,
  ),
  ["get secrets other/s", unrelated],
  ["get secrets ns/-", "No Object name found"],
  ["list secrets ns/-", "No Object name found"],
  ["get secrets /s", "can only read namespaced object of this type"],
  ["get secrets/status ns/s", "cannot read subresource"],
  ["update secrets ns/s", onlyReads],
  ["create configmaps ns/c", onlyReads],
  ["delete configmaps ns/c", onlyReads],
  ["create serviceaccounts/token ns/sa", true],
  ["create serviceaccounts/token ns/other", unrelated],
  ["create serviceaccounts/token ns/-", "can only create tokens for individual service accounts"],
  ["update serviceaccounts/token ns/sa", "can only create tokens for individual service accounts"],
  ["get serviceaccounts/token ns/sa", "can only create tokens for individual service accounts"],
  ["create serviceaccounts/other ns/sa", "can only create token subresource of serviceaccount"],
  ["get persistentvolumeclaims ns/claim", true],
  ["get persistentvolumeclaims ns/other", unrelated],
  ["list persistentvolumeclaims ns/claim", onlyGets],
  ["get persistentvolumeclaims/other ns/claim", noSubresource],
  ["update persistentvolumeclaims/status ns/claim", true],
  ["patch persistentvolumeclaims/status ns/claim", true],
  ["update persistentvolumeclaims/status ns/other", unrelated],
  ["get persistentvolumeclaims/status ns/claim", "can only get/update/patch this type"],
  ["get persistentvolumes /pv", true],
  ["get persistentvolumes /pv-other", unrelated],
  ["get persistentvolumes /pv-free", unrelated],
  ["get persistentvolumes /none", unrelated],
  ["update persistentvolumes /pv", onlyGets],
  ["get persistentvolumes/status /pv", noSubresource],
  ["get resourceclaims.resource.k8s.io ns/devices", true],
  ["get resourceclaims.resource.k8s.io ns/other", unrelated],
  ["get volumeattachments.storage.k8s.io /va", true],
  ["get volumeattachments.storage.k8s.io /va-far", unrelated],
  ["get volumeattachments.storage.k8s.io/status /va", noSubresource],
  ["create resourceslices.resource.k8s.io /-", true],
  ...["get", "update", "patch", "delete"].flatMap(
    (verb) =>
      [
        [`${verb} resourceslices.resource.k8s.io /slice`, true],
        [`${verb} resourceslices.resource.k8s.io /slice-far`, unrelated],
      ] as const,
  ),
  [
    "list resourceslices.resource.k8s.io /-",
    "can only list/watch/deletecollection resourceslices with nodeName field selector",
  ],
  [
    "approve resourceslices.resource.k8s.io /slice",
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  ],
  ["get resourceslices.resource.k8s.io/status /slice", "cannot authorize ResourceSlice subresources"],
  ...["get", "update", "patch", "delete", "create"].map(
    (verb) => [`${verb} leases.coordination.k8s.io kube-node-lease/n1`, true] as const,
  ),
  ["create leases.coordination.k8s.io kube-node-lease/-", true],
  [
    "get leases.coordination.k8s.io kube-node-lease/n2",
    "can only access node lease with the same name as the requesting node",
  ],
  ["get leases.coordination.k8s.io ns/n1", 'can only access leases in the "kube-node-lease" system namespace'],
  ["list leases.coordination.k8s.io kube-node-lease/n1", "can only get, create, update, patch, or delete a node lease"],
  ["get csinodes.storage.k8s.io /n1", true],
  ["create csinodes.storage.k8s.io /-", true],
  ["get csinodes.storage.k8s.io /n2", "can only access CSINode with the same name as the requesting node"],
  ["watch csinodes.storage.k8s.io /n1", "can only get, create, update, patch, or delete a CSINode"],
  ["get csinodes.storage.k8s.io/status /n1", "cannot authorize CSINode subresources"],
  ...["get", "list", "watch"].flatMap(
    (verb) =>
      [
        [`${verb} nodes /n1`, true],
        [`${verb} nodes /n2`, "node 'n1' cannot read 'n2', only its own Node object"],
        [`${verb} nodes /-`, "node 'n1' cannot read all nodes, only its own Node object"],
      ] as const,
  ),
  ...["create", "update", "patch"].map((verb) => [`${verb} nodes /n2`, true] as const), // admission decides which
  ["delete nodes /n1", ""],
  ["update nodes/status /n1", true],
  ["patch nodes/status /n1", true],
  ["get nodes/status /n1", ""],
  ["create nodes/proxy /n1", ""],
  ["get nodes/proxy /n1", ""],
  ["get pods ns/p", true],
  ["get pods ns/far", unrelated],
  ["get pods ns/none", unrelated],
  ["list pods ns/p", true],
  ["watch pods ns/far", unrelated],
  ["list pods ns/-", "can only list/watch pods with spec.nodeName field selector"],
  ["create pods ns/-", true],
  ["delete pods ns/p", true],
  ["update pods ns/p", ""],
  ["patch pods ns/p", ""],
  ["deletecollection pods ns/-", ""],
  ["update pods/status ns/p", true],
  ["patch pods/status ns/p", true],
  ["get pods/status ns/p", ""],
  ["create pods/eviction ns/p", true],
  ["update pods/eviction ns/p", ""],
  ["create pods/exec ns/p", ""],
  ["get pods/log ns/p", ""],
  ["create pods/constructor ns/p", ""],
  ["get podcertificaterequests.certificates.k8s.io ns/x", ""],
];

function attributes(request: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  const [verb = "", what = "", where = ""] = request.split(" ");
  const [qualified = "", subresource = ""] = what.split("/");
  const [resource = "", ...group] = qualified.split(".");
  const [namespace = "", name = ""] = where.split("/");
  return {
    user: node,
    verb,
    isResourceRequest: true,
    path: "",
    group: group.join("."),
    version: "v1",
    resource,
    subresource,
    namespace,
    name: name === "-" ? "" : name,
    ...more,
  };
}

it.each(cases)("a node may, or may not: %s", async (request, answer) => {
  const { decision, reason = "" } = await authorizer.authorize(attributes(request));
  expect(decision === "allow" ? true : reason).toBe(answer);
  expect(decision).not.toBe("deny");
});

const selected = (key: string, operator: "In" | "NotIn", ...values: readonly string[]) => ({ key, operator, values });
it.each<[string, readonly ReturnType<typeof selected>[], boolean]>([
  ["its own", [selected("spec.nodeName", "In", "n1")], true],
  ["its own among others", [selected("metadata.name", "In", "x"), selected("spec.nodeName", "In", "n1")], true],
  ["another's", [selected("spec.nodeName", "In", "n2")], false],
  ["all except its own", [selected("spec.nodeName", "NotIn", "n1")], false],
  ["its own and another node's", [selected("spec.nodeName", "In", "n1", "n2")], false],
  ["its own by another field", [selected("metadata.name", "In", "n1")], false],
])("a node lists %s, or not", async (_what, fieldSelector, isAllowed) => {
  const requests = ["list", "watch"].map((verb) => `${verb} pods /-`);
  const slices = ["list", "watch", "deletecollection"].map((verb) => `${verb} resourceslices.resource.k8s.io /-`);
  for (const request of [...requests, ...slices]) {
    const { decision } = await authorizer.authorize(attributes(request, { fieldSelector }));
    expect([request, decision === "allow"]).toEqual([request, isAllowed]);
  }
});

it.each([
  ["system:node:n1", ["system:nodes"], "n1"],
  ["system:node:n1", ["other", "system:nodes"], "n1"],
  ["system:node:", ["system:nodes"], ""],
  ["system:node:n1", ["other"], undefined],
  ["jane", ["system:nodes"], undefined],
])("recognizes as a node: %s of %j", async (name, groups, expected) => {
  expect(nodeNameOf({ name, groups })).toBe(expected);
  const { decision, reason } = await authorizer.authorize(attributes("get services ns/x", { user: { name, groups } }));
  expect(decision).toBe(expected ? "allow" : "no opinion");
  expect(reason).toBe(expected === "" ? 'unknown node for user "system:node:"' : undefined);
  const { incomplete } = await authorizer.rulesFor({ name, groups }, "ns");
  expect(incomplete).toBe(expected !== undefined);
});

it("a path is not one of the subdivided resources", async () => {
  const { decision } = await authorizer.authorize(
    attributes("get pods ns/p", { isResourceRequest: false, path: "/x" }),
  );
  expect(decision).toBe("no opinion");
});
