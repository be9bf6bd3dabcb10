import { isRecord, jsonEqual, notFound, quote } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden, aggregateText } from "@kubewright/apiserver/admission";
import type { Authorizer } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { nodeNameOf } from "../../authorization/node.ts";
import { apiReference, list, members, path } from "../../kinds/pod/pod-references.ts";
import { refusedNodeLabels } from "./node-labels.ts";

export interface NodeRestrictionParts {
  object(group: string, resource: string, namespace: string, name: string): Promise<ReadonlyObject | undefined>;
  readonly authorize: Authorizer;
  /** Returns the common name in the certification request of a CertificateSigningRequest. */
  commonNameOfRequest(request: unknown): string | undefined;
}

const mirrorAnnotation = "kubernetes.io/config.mirror";

/**
 * Restricts writes by nodes: a node may change only its own Node object, the pods that run on it, and objects that
 * these pods need. Disabled by default, as in upstream Kubernetes.
 *
 * @see kubernetes plugin/pkg/admission/noderestriction
 */
export function nodeRestriction(parts: NodeRestrictionParts): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    handles: (operation) => operation !== "CONNECT",
    admit(attributes) {
      const node = nodeNameOf(attributes.user);
      return node === undefined ? undefined : restrict(node, attributes, parts);
    },
  };
}

async function restrict(node: string, attributes: AdmissionAttributes, parts: NodeRestrictionParts): Promise<void> {
  if (node === "")
    throw admissionForbidden(attributes, `could not determine node from user ${quote(attributes.user.name)}`);
  const refusal = await refusalOf(node, attributes, parts);
  if (refusal !== undefined) throw admissionForbidden(attributes, refusal);
}

/** Returns the reason for a rejection, or `undefined` if the request is allowed. */
async function refusalOf(
  node: string,
  attributes: AdmissionAttributes,
  parts: NodeRestrictionParts,
): Promise<string | undefined> {
  const { resource, subresource, operation, object } = attributes;
  switch (resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`) {
    case "pods":
      return podRefusal(node, attributes, parts);
    case "nodes":
      return nodeRefusal(node, attributes);
    case "persistentvolumeclaims":
      return subresource === "status" ? claimRefusal(node, attributes) : "may only update PVC status";
    case "serviceaccounts":
      return operation === "CREATE" && subresource === "token" ? tokenRefusal(node, attributes, parts) : undefined;
    case "leases.coordination.k8s.io":
      if (attributes.namespace !== "kube-node-lease")
        return 'can only access leases in the "kube-node-lease" system namespace';
      return nameOf(attributes) === node
        ? undefined
        : "can only access node lease with the same name as the requesting node";
    case "csinodes.storage.k8s.io":
      return nameOf(attributes) === node
        ? undefined
        : "can only access CSINode with the same name as the requesting node";
    case "resourceslices.resource.k8s.io":
      return sliceRefusal(node, attributes);
    case "certificatesigningrequests.certificates.k8s.io":
      return operation === "CREATE" && subresource === "" ? requestRefusal(node, object, parts) : undefined;
    default:
      return undefined;
  }
}

/** Returns the name in the URL of a request or, for a create, the object's name. */
const nameOf = ({ operation, object, name }: AdmissionAttributes): string =>
  operation === "CREATE" ? (object?.metadata.name ?? "") : name;

async function podRefusal(
  node: string,
  attributes: AdmissionAttributes,
  parts: NodeRestrictionParts,
): Promise<string | undefined> {
  const { subresource, operation, namespace, name, object, oldObject } = attributes;
  const isOnNode = async (): Promise<boolean> => {
    const pod = await parts.object("", "pods", namespace, name);
    if (!pod) throw notFound({ group: "", resource: "pods" }, name);
    return path(pod.spec, "nodeName") === node;
  };
  switch (subresource) {
    case "":
      if (operation === "CREATE") return mirrorRefusal(node, object, parts);
      if (operation !== "DELETE")
        return `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`;
      return (await isOnNode())
        ? undefined
        : `node ${quote(node)} can only delete pods with spec.nodeName set to itself`;
    case "status":
      return operation === "UPDATE" && object && oldObject
        ? podStatusRefusal(node, object, oldObject)
        : `unexpected operation ${quote(operation)}`;
    case "eviction":
      return (await isOnNode()) ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

async function mirrorRefusal(
  node: string,
  pod: AdmissionAttributes["object"],
  parts: NodeRestrictionParts,
): Promise<string | undefined> {
  const only = `node ${quote(node)} can only create`;
  if (pod?.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${quote(mirrorAnnotation)} annotation, ${only} mirror pods`;
  if (path(pod.spec, "nodeName") !== node) return `${only} pods with spec.nodeName set to itself`;
  const [owner, ...more] = pod.metadata.ownerReferences ?? [];
  if (more.length > 0) return `${only} pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `${only} pods with an owner reference set to itself`;
  if (owner.controller !== true) return `${only} pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`;
  const found = await parts.object("", "nodes", "", node);
  if (!found) throw notFound({ group: "", resource: "nodes" }, node);
  if (owner.uid !== found.metadata.uid)
    return `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid ?? ""}`;
  const referenced = apiReference(members(pod.spec));
  return referenced === undefined ? undefined : `node ${quote(node)} can not create pods that reference ${referenced}`;
}

function podStatusRefusal(
  node: string,
  pod: ReadonlyObject | NonNullable<AdmissionAttributes["object"]>,
  old: ReadonlyObject,
): string | undefined {
  const who = `node ${quote(node)}`;
  if (path(old.spec, "nodeName") !== node)
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  if (!jsonEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {}))
    return `${who} cannot update labels through pod status`;
  const claims = (one: unknown): unknown => list(path(one, "resourceClaimStatuses"));
  if (!jsonEqual(claims(pod.status), claims(old.status))) return `${who} cannot update resource claim statues`;
  const extended = (one: unknown): unknown => path(one, "extendedResourceClaimStatus") ?? null;
  return jsonEqual(extended(pod.status), extended(old.status))
    ? undefined
    : `${who} cannot update extended resource claim status`;
}

function nodeRefusal(node: string, { operation, object, oldObject, name }: AdmissionAttributes): string | undefined {
  const who = `node ${quote(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${quote(name)}`;
  if (operation === "CREATE" && object) {
    if (path(object.spec, "configSource")) return `${who} is not allowed to create pods with a non-nil configSource`;
    const labels = refusedNodeLabels(object.metadata.labels ?? {}, {});
    return labels.length === 0 ? undefined : `${who} is not allowed to set the following labels: ${labels.join(", ")}`;
  }
  if (operation !== "UPDATE" || !object || !oldObject) return undefined;
  const source = path(object.spec, "configSource");
  if (source && !jsonEqual(source, path(oldObject.spec, "configSource")))
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  if (!jsonEqual(list(path(object.spec, "taints")), list(path(oldObject.spec, "taints"))))
    return `${who} is not allowed to modify taints`;
  if (!jsonEqual(object.metadata.ownerReferences ?? [], oldObject.metadata.ownerReferences ?? []))
    return `${who} is not allowed to modify ownerReferences`;
  const labels = refusedNodeLabels(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {});
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

/**
 * Returns the reason that a node may not update a claim, if any. In a claim's status, the node may write the size of the volume and the
 * progress of resizing it.
 */
function claimRefusal(node: string, { operation, object, oldObject }: AdmissionAttributes): string | undefined {
  if (operation !== "UPDATE" || !object || !oldObject) return `unexpected operation ${quote(operation)}`;
  const rest = ({ metadata, status, ...others }: ReadonlyObject | typeof object): unknown => {
    const { resourceVersion: _version, managedFields: _fields, ...meta } = metadata;
    const {
      capacity: _c,
      conditions: _s,
      allocatedResourceStatuses: _r,
      allocatedResources: _a,
      ...kept
    } = members(status);
    return { ...others, metadata: meta, status: kept };
  };
  return jsonEqual(rest(object), rest(oldObject))
    ? undefined
    : `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function sliceRefusal(node: string, { operation, object, oldObject }: AdmissionAttributes): string | undefined {
  if (operation === "CREATE" && path(object?.spec, "nodeName") !== node)
    return "can only create ResourceSlice with the same NodeName as the requesting node";
  if (operation === "DELETE" && path(oldObject?.spec, "nodeName") !== node)
    return "can only delete ResourceSlice with the same NodeName as the requesting node";
  return undefined;
}

const kubeletSigners: ReadonlySet<unknown> = new Set([
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
]);

function requestRefusal(
  node: string,
  object: AdmissionAttributes["object"],
  { commonNameOfRequest }: NodeRestrictionParts,
): string | undefined {
  if (!kubeletSigners.has(path(object?.spec, "signerName"))) return undefined;
  return commonNameOfRequest(path(object?.spec, "request")) === `system:node:${node}`
    ? undefined
    : `can only create a node CSR with CN=system:node:${node}`;
}

/**
 * Returns the reason that a node may not request a token, if any. A node may request tokens only for pods that run on it, and only for
 * audiences that the pod's volumes use.
 */
async function tokenRefusal(
  node: string,
  { object, namespace, name, user }: AdmissionAttributes,
  parts: NodeRestrictionParts,
): Promise<string | undefined> {
  const spec = members(object?.spec);
  const { apiVersion, kind, name: podName, uid } = members(spec.boundObjectRef);
  if (apiVersion !== "v1" || kind !== "Pod" || typeof podName !== "string" || podName === "")
    return "node requested token not bound to a pod";
  if (typeof uid !== "string" || uid === "") return "node requested token with a pod binding without a uid";
  const pod = await parts.object("", "pods", namespace, podName);
  if (!pod) throw notFound({ group: "", resource: "pods" }, podName);
  if (uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (path(pod.spec, "nodeName") !== node) return "node requested token bound to a pod scheduled on a different node";
  const audiences = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const { needs, problems } = await podNeedsAudience(pod, audience, parts);
  if (needs) return undefined;
  if (problems.length > 0) return `error validating audience ${quote(audience)}: ${aggregateText(problems)}`;
  const { decision } = await parts.authorize({
    user,
    verb: "request-serviceaccounts-token-audience",
    isResourceRequest: true,
    path: "",
    group: "",
    version: "v1",
    resource: audience,
    subresource: "",
    namespace,
    name,
  });
  return decision === "allow"
    ? undefined
    : `audience ${quote(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

async function podNeedsAudience(
  pod: ReadonlyObject,
  audience: string,
  parts: NodeRestrictionParts,
): Promise<{ readonly needs: boolean; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  for (const volume of list(path(pod.spec, "volumes"))) {
    const sources = list(path(volume, "projected", "sources")).filter((source) => isRecord(source.serviceAccountToken));
    if (sources.some((source) => (path(source, "serviceAccountToken", "audience") ?? "") === audience))
      return { needs: true, problems: [] };
    try {
      if (await driverNeedsAudience(pod, volume, audience, parts)) return { needs: true, problems: [] };
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { needs: false, problems };
}

async function driverNeedsAudience(
  pod: ReadonlyObject,
  volume: Record<string, unknown>,
  audience: string,
  { object }: NodeRestrictionParts,
): Promise<boolean> {
  const get = async (group: string, kind: string, namespace: string, name: string): Promise<ReadonlyObject> => {
    const found = await object(group, `${kind}s`, namespace, name);
    if (!found) throw notFound({ group, resource: kind }, name);
    return found;
  };
  const claimName = volume.ephemeral
    ? `${pod.metadata.name}-${volume.name}`
    : path(volume, "persistentVolumeClaim", "claimName");
  let driverName = path(volume, "csi", "driver");
  if (typeof claimName === "string") {
    const claim = await get("", "persistentvolumeclaim", pod.metadata.namespace ?? "", claimName);
    const persistent = await get("", "persistentvolume", "", String(path(claim.spec, "volumeName") ?? ""));
    driverName = path(persistent.spec, "csi", "driver");
  }
  if (typeof driverName !== "string" || driverName === "") return false;
  const driver = await get("storage.k8s.io", "csidriver", "", driverName);
  return list(path(driver.spec, "tokenRequests")).some((request) => request.audience === audience);
}
