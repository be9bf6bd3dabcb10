import type { StatusError, Unstructured } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionOperation } from "@kubewright/apiserver/admission";
import { Reinvocation } from "@kubewright/apiserver/admission";
import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { expect, it } from "vitest";
import { nodeRestriction } from "./node-restriction.ts";

const object = (name: string, more: object = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name },
  ...more,
});
const pod = (name: string, spec: object, more: object = {}): Unstructured =>
  object(name, { metadata: { name, namespace: "ns", uid: `${name}-uid` }, spec, ...more });
const tokenFor = (audience?: string) => ({
  projected: { sources: [{ serviceAccountToken: audience === undefined ? {} : { audience } }] },
});
const stored: Readonly<Record<string, ReadonlyObject>> = {
  "nodes//n1": object("n1", { metadata: { name: "n1", uid: "n1-uid" } }),
  "pods/ns/near": pod("near", { nodeName: "n1", volumes: [tokenFor("vault"), tokenFor()] }),
  "pods/ns/far": pod("far", { nodeName: "n2", volumes: [tokenFor("vault")] }),
  "pods/ns/driven": pod("driven", { nodeName: "n1", volumes: [{ csi: { driver: "d" } }] }),
  "pods/ns/lost": pod("lost", { nodeName: "n1", volumes: [{ csi: { driver: "none" } }] }),
  "pods/ns/claiming": pod("claiming", {
    nodeName: "n1",
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }],
  }),
  "pods/ns/fleeting": pod("fleeting", { nodeName: "n1", volumes: [{ name: "v", ephemeral: {} }] }),
  "persistentvolumeclaims/ns/claim": object("claim", { spec: { volumeName: "pv" } }),
  "persistentvolumeclaims/ns/fleeting-v": object("fleeting-v", { spec: { volumeName: "pv" } }),
  "persistentvolumes//pv": object("pv", { spec: { csi: { driver: "d" } } }),
  "csidrivers//d": object("d", { spec: { tokenRequests: [{ audience: "driver" }] } }),
};

interface Asked {
  readonly operation?: AdmissionOperation;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: Unstructured;
  readonly old?: Unstructured;
  readonly user?: { readonly name: string; readonly groups: string[] };
}

const node = { name: "system:node:n1", groups: ["system:nodes"] };

/** Returns the reason that a node may not do this, or `undefined` if it may. */
async function refusal(what: string, asked: Asked): Promise<string | undefined> {
  const [resource = "", ...group] = what.split(".");
  const questions: AuthorizationAttributes[] = [];
  const plugin = nodeRestriction({
    object: async (_group, plural, namespace, name) => stored[`${plural}/${namespace}/${name}`],
    authorize: (attributes) => {
      questions.push(attributes);
      return { decision: attributes.resource === "allowed" ? "allow" : "no opinion" };
    },
    commonNameOfRequest: (request) => (typeof request === "string" ? request : undefined),
  });
  const { operation = "CREATE", subresource = "", namespace = "ns", old, user = node } = asked;
  expect(plugin.handles(operation)).toBe(operation !== "CONNECT");
  const attributes: AdmissionAttributes = {
    operation,
    resource: { group: group.join("."), version: "v1", resource },
    subresource,
    kind: { group: "", version: "v1", kind: "Thing" },
    namespace,
    name: asked.name ?? asked.object?.metadata.name ?? "",
    object: asked.object,
    oldObject: old,
    options: {},
    dryRun: false,
    user,
    warn() {},
  };
  try {
    await plugin.admit?.(attributes, new Reinvocation());
    return undefined;
  } catch (error) {
    const { code, message = "" } = (error as StatusError).status;
    return code === 403 ? message.replace(/^.*? is forbidden: /, "") : `${code} ${message}`;
  }
}

const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "n1-uid", controller: true };
const mirror = (ownerReferences: readonly object[] | undefined, spec: object = {}, annotated = true): Asked => ({
  object: object("m", {
    metadata: {
      name: "m",
      ...(annotated ? { annotations: { "kubernetes.io/config.mirror": "x" } } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
    spec: { nodeName: "n1", ...spec },
  }),
});
const status = (next: object, before: object, spec: object = { nodeName: "n1" }): Asked => ({
  operation: "UPDATE",
  subresource: "status",
  object: pod("p", spec, next),
  old: pod("p", spec, before),
});
const token = (ref: object, audiences?: readonly string[]): Asked => ({
  subresource: "token",
  name: "sa",
  object: object("sa", {
    spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", ...ref }, ...(audiences ? { audiences } : {}) },
  }),
});
const near = { name: "near", uid: "near-uid" };
const ownNode = (next: object, before: object = {}, operation: AdmissionOperation = "UPDATE"): Asked => ({
  operation,
  object: object("n1", next),
  ...(operation === "UPDATE" ? { old: object("n1", before) } : {}),
});
const onlyNode = (what: string): string => `node "n1" can only create pods with ${what}`;
const only = 'node "n1" is not allowed to';

it.each<[string, string, Asked, string | undefined]>([
  ["writes of users", "pods", { user: { name: "jane", groups: [] } }, undefined],
  [
    "a node without a name",
    "pods",
    { user: { ...node, name: "system:node:" } },
    'could not determine node from user "system:node:"',
  ],
  ["a kind that is not divided", "services", {}, undefined],

  ["its own mirror pod", "pods", mirror([owner]), undefined],
  [
    "a pod that is not a mirror",
    "pods",
    mirror([owner], {}, false),
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  [
    "a mirror pod on another node",
    "pods",
    mirror([owner], { nodeName: "n2" }),
    onlyNode("spec.nodeName set to itself"),
  ],
  ["a mirror pod without an owner", "pods", mirror(undefined), onlyNode("an owner reference set to itself")],
  ["a mirror pod of two", "pods", mirror([owner, owner]), onlyNode("a single owner reference set to itself")],
  [
    "a mirror pod of another version",
    "pods",
    mirror([{ ...owner, apiVersion: "v2" }]),
    onlyNode("an owner reference set to itself"),
  ],
  [
    "a mirror pod of another kind",
    "pods",
    mirror([{ ...owner, kind: "Pod" }]),
    onlyNode("an owner reference set to itself"),
  ],
  [
    "a mirror pod of another node",
    "pods",
    mirror([{ ...owner, name: "n2" }]),
    onlyNode("an owner reference set to itself"),
  ],
  [
    "a mirror pod that it does not control",
    "pods",
    mirror([{ ...owner, controller: false }]),
    onlyNode("a controller owner reference set to itself"),
  ],
  [
    "a mirror pod whose owner is not a controller",
    "pods",
    mirror([{ ...owner, controller: undefined }]),
    onlyNode("a controller owner reference set to itself"),
  ],
  [
    "a mirror pod that blocks its deletion",
    "pods",
    mirror([{ ...owner, blockOwnerDeletion: true }]),
    'node "n1" must not set blockOwnerDeletion on an owner reference',
  ],
  ["a mirror pod that does not", "pods", mirror([{ ...owner, blockOwnerDeletion: false }]), undefined],
  [
    "a mirror pod of a former node of the name",
    "pods",
    mirror([{ ...owner, uid: "x" }]),
    "node n1 UID mismatch: expected x got n1-uid",
  ],
  [
    "a mirror pod of a node that is not there",
    "pods",
    { ...mirror([{ ...owner, name: "n9" }], { nodeName: "n9" }), user: { ...node, name: "system:node:n9" } },
    '404 nodes "n9" not found',
  ],
  [
    "a mirror pod with a secret",
    "pods",
    mirror([owner], { volumes: [{ secret: { secretName: "s" } }] }),
    'node "n1" can not create pods that reference secrets',
  ],
  [
    "a mirror pod with an account",
    "pods",
    mirror([owner], { serviceAccountName: "sa" }),
    'node "n1" can not create pods that reference serviceaccounts',
  ],

  ["the deletion of its own pod", "pods", { operation: "DELETE", name: "near" }, undefined],
  [
    "the deletion of another node's pod",
    "pods",
    { operation: "DELETE", name: "far" },
    'node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  ["the end of a pod that is not there", "pods", { operation: "DELETE", name: "none" }, '404 pods "none" not found'],
  [
    "a change of a pod",
    "pods",
    { operation: "UPDATE", name: "near" },
    'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  ],
  ["the eviction of its own pod", "pods", { subresource: "eviction", name: "near" }, undefined],
  [
    "the eviction of another node's pod",
    "pods",
    { subresource: "eviction", name: "far" },
    "node n1 can only evict pods with spec.nodeName set to itself",
  ],
  [
    "another part of a pod",
    "pods",
    { subresource: "binding", name: "near" },
    "unexpected pod subresource \"binding\", only 'status' and 'eviction' are allowed",
  ],
  ["the status of its own pod", "pods", status({ status: { phase: "Running" } }, {}), undefined],
  [
    "the status of another node's pod",
    "pods",
    status({}, {}, { nodeName: "n2" }),
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  ["a status that is created", "pods", { ...status({}, {}), operation: "CREATE" }, 'unexpected operation "CREATE"'],
  [
    "labels by a status",
    "pods",
    status({ metadata: { name: "p", labels: { a: "b" } } }, {}),
    'node "n1" cannot update labels through pod status',
  ],
  [
    "claims by a status",
    "pods",
    status({ status: { resourceClaimStatuses: [{ name: "x" }] } }, {}),
    'node "n1" cannot update resource claim statues',
  ],
  [
    "claims that were there",
    "pods",
    status(
      { status: { resourceClaimStatuses: [{ name: "x" }] } },
      { status: { resourceClaimStatuses: [{ name: "x" }] } },
    ),
    undefined,
  ],
  [
    "a claim of extended resources",
    "pods",
    status({ status: { extendedResourceClaimStatus: { name: "x" } } }, {}),
    'node "n1" cannot update extended resource claim status',
  ],

  ["itself", "nodes", ownNode({}, {}, "CREATE"), undefined],
  [
    "another node",
    "nodes",
    { operation: "UPDATE", object: object("n2"), old: object("n2") },
    'node "n1" is not allowed to modify node "n2"',
  ],
  [
    "itself with its own labels",
    "nodes",
    ownNode({ metadata: { name: "n1", labels: { "kubernetes.io/hostname": "n1", x: "y" } } }, {}, "CREATE"),
    undefined,
  ],
  [
    "itself with labels of others",
    "nodes",
    ownNode({ metadata: { name: "n1", labels: { "node-restriction.kubernetes.io/x": "y" } } }, {}, "CREATE"),
    `${only} set the following labels: node-restriction.kubernetes.io/x`,
  ],
  [
    "itself with a source of configuration",
    "nodes",
    ownNode({ spec: { configSource: {} } }, {}, "CREATE"),
    `${only} create pods with a non-nil configSource`,
  ],
  ["its end", "nodes", { operation: "DELETE", name: "n1" }, undefined],
  [
    "its labels",
    "nodes",
    ownNode({ metadata: { name: "n1", labels: { "a.k8s.io/x": "y" } } }),
    "is not allowed to modify labels: a.k8s.io/x",
  ],
  [
    "labels that others set",
    "nodes",
    ownNode(
      { metadata: { name: "n1", labels: { "a.k8s.io/x": "y" } } },
      { metadata: { name: "n1", labels: { "a.k8s.io/x": "y" } } },
    ),
    undefined,
  ],
  [
    "its taints",
    "nodes",
    ownNode({ spec: { taints: [] } }, { spec: { taints: [{ key: "x" }] } }),
    `${only} modify taints`,
  ],
  [
    "its owners",
    "nodes",
    ownNode({ metadata: { name: "n1", ownerReferences: [owner] } }),
    `${only} modify ownerReferences`,
  ],
  [
    "the same owners",
    "nodes",
    ownNode(
      { metadata: { name: "n1", ownerReferences: [owner] } },
      { metadata: { name: "n1", ownerReferences: [owner] } },
    ),
    undefined,
  ],
  [
    "a new source of configuration",
    "nodes",
    ownNode({ spec: { configSource: { a: 1 } } }, { spec: { configSource: { a: 2 } } }),
    `${only} update configSource to a new non-nil configSource`,
  ],
  [
    "the same source",
    "nodes",
    ownNode({ spec: { configSource: { a: 1 } } }, { spec: { configSource: { a: 1 } } }),
    undefined,
  ],
  ["no source any more", "nodes", ownNode({}, { spec: { configSource: { a: 1 } } }), undefined],

  [
    "a claim",
    "persistentvolumeclaims",
    { operation: "UPDATE", object: object("c"), old: object("c") },
    "may only update PVC status",
  ],
  [
    "how large a claim is",
    "persistentvolumeclaims",
    {
      operation: "UPDATE",
      subresource: "status",
      object: object("c", { status: { capacity: {}, conditions: [], allocatedResources: {} } }),
      old: object("c", { status: {} }),
    },
    undefined,
  ],
  [
    "more of a claim",
    "persistentvolumeclaims",
    {
      operation: "UPDATE",
      subresource: "status",
      object: object("c", { status: { phase: "Lost" } }),
      old: object("c", { status: {} }),
    },
    `${only} update fields other than status.quantity and status.conditions`,
  ],
  [
    "the labels of a claim",
    "persistentvolumeclaims",
    {
      operation: "UPDATE",
      subresource: "status",
      object: object("c", { metadata: { name: "c", labels: { a: "b" } } }),
      old: object("c"),
    },
    `${only} update fields other than status.quantity and status.conditions`,
  ],
  [
    "a claim's status that is created",
    "persistentvolumeclaims",
    { subresource: "status", object: object("c") },
    'unexpected operation "CREATE"',
  ],

  ["its lease", "leases.coordination.k8s.io", { namespace: "kube-node-lease", object: object("n1") }, undefined],
  [
    "its lease by its name",
    "leases.coordination.k8s.io",
    { operation: "UPDATE", namespace: "kube-node-lease", name: "n1" },
    undefined,
  ],
  [
    "another node's lease",
    "leases.coordination.k8s.io",
    { namespace: "kube-node-lease", object: object("n2") },
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "a lease with another name than in its URL",
    "leases.coordination.k8s.io",
    { namespace: "kube-node-lease", name: "n1", object: object("n2") },
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "a lease elsewhere",
    "leases.coordination.k8s.io",
    { object: object("n1") },
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  ["its CSINode", "csinodes.storage.k8s.io", { object: object("n1") }, undefined],
  [
    "another node's CSINode",
    "csinodes.storage.k8s.io",
    { operation: "DELETE", name: "n2" },
    "can only access CSINode with the same name as the requesting node",
  ],
  ["its slice", "resourceslices.resource.k8s.io", { object: object("s", { spec: { nodeName: "n1" } }) }, undefined],
  [
    "another node's slice",
    "resourceslices.resource.k8s.io",
    { object: object("s", { spec: { nodeName: "n2" } }) },
    "can only create ResourceSlice with the same NodeName as the requesting node",
  ],
  [
    "the end of its slice",
    "resourceslices.resource.k8s.io",
    { operation: "DELETE", old: object("s", { spec: { nodeName: "n1" } }) },
    undefined,
  ],
  [
    "the deletion of another node's slice",
    "resourceslices.resource.k8s.io",
    { operation: "DELETE", old: object("s", { spec: { nodeName: "n2" } }) },
    "can only delete ResourceSlice with the same NodeName as the requesting node",
  ],
  [
    "a change of a slice",
    "resourceslices.resource.k8s.io",
    { operation: "UPDATE", object: object("s"), old: object("s") },
    undefined,
  ],

  [
    "a request for its certificate",
    "certificatesigningrequests.certificates.k8s.io",
    { object: object("r", { spec: { signerName: "kubernetes.io/kubelet-serving", request: "system:node:n1" } }) },
    undefined,
  ],
  [
    "a request for another node",
    "certificatesigningrequests.certificates.k8s.io",
    { object: object("r", { spec: { signerName: "kubernetes.io/kubelet-serving", request: "system:node:n2" } }) },
    "can only create a node CSR with CN=system:node:n1",
  ],
  [
    "a client's request for another node",
    "certificatesigningrequests.certificates.k8s.io",
    { object: object("r", { spec: { signerName: "kubernetes.io/kube-apiserver-client-kubelet", request: "x" } }) },
    "can only create a node CSR with CN=system:node:n1",
  ],
  [
    "a request of another signer",
    "certificatesigningrequests.certificates.k8s.io",
    { object: object("r", { spec: { signerName: "example.com/x", request: "x" } }) },
    undefined,
  ],
  [
    "the status of a request",
    "certificatesigningrequests.certificates.k8s.io",
    { subresource: "status", object: object("r", { spec: { signerName: "kubernetes.io/kubelet-serving" } }) },
    undefined,
  ],

  ["a token for its pod", "serviceaccounts", token(near), undefined],
  ["a token for an audience of its pod", "serviceaccounts", token(near, ["vault"]), undefined],
  [
    "a token for its pod's driver",
    "serviceaccounts",
    token({ name: "driven", uid: "driven-uid" }, ["driver"]),
    undefined,
  ],
  [
    "a token for its claim's driver",
    "serviceaccounts",
    token({ name: "claiming", uid: "claiming-uid" }, ["driver"]),
    undefined,
  ],
  [
    "a token for its ephemeral volume's driver",
    "serviceaccounts",
    token({ name: "fleeting", uid: "fleeting-uid" }, ["driver"]),
    undefined,
  ],
  [
    "a token that its pod's driver does not ask for",
    "serviceaccounts",
    token({ name: "driven", uid: "driven-uid" }, ["other"]),
    'audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
  ],
  [
    "a token for another audience",
    "serviceaccounts",
    token(near, ["other"]),
    'audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
  ],
  ["a token for an audience that it may ask for", "serviceaccounts", token(near, ["allowed"]), undefined],
  [
    "a token for two audiences",
    "serviceaccounts",
    token(near, ["vault", "x"]),
    "node may only request 0 or 1 audiences",
  ],
  [
    "a token for a driver that is not there",
    "serviceaccounts",
    token({ name: "lost", uid: "lost-uid" }, ["x"]),
    'error validating audience "x": csidriver.storage.k8s.io "none" not found',
  ],
  [
    "a token for another node's pod",
    "serviceaccounts",
    token({ name: "far", uid: "far-uid" }, ["vault"]),
    "node requested token bound to a pod scheduled on a different node",
  ],
  [
    "a token for a former pod",
    "serviceaccounts",
    token({ ...near, uid: "x" }),
    "the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated",
  ],
  [
    "a token for a pod of no identity",
    "serviceaccounts",
    token({ name: "near" }),
    "node requested token with a pod binding without a uid",
  ],
  [
    "a token for a pod of an empty identity",
    "serviceaccounts",
    token({ ...near, uid: "" }),
    "node requested token with a pod binding without a uid",
  ],
  [
    "a token for a pod of no name",
    "serviceaccounts",
    token({ ...near, name: "" }),
    "node requested token not bound to a pod",
  ],
  [
    "a token for another kind",
    "serviceaccounts",
    token({ ...near, kind: "Secret" }),
    "node requested token not bound to a pod",
  ],
  [
    "a token for another version",
    "serviceaccounts",
    token({ ...near, apiVersion: "v2" }),
    "node requested token not bound to a pod",
  ],
  [
    "a token for a pod that is not there",
    "serviceaccounts",
    token({ name: "none", uid: "x" }),
    '404 pods "none" not found',
  ],
  ["an account", "serviceaccounts", { object: object("sa") }, undefined],
])("a node can write, or not: %s", async (_what, resource, asked, expected) => {
  expect(await refusal(resource, asked)).toBe(expected);
});
