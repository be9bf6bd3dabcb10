import { isRecord, ownMember, quote } from "@kubewright/apimachinery";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from "@kubewright/apiserver/authorization";
import { type RbacRule, type RuleResolver, ruleAllows, unlistedRules } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { podRefersTo, type ReferencedResource, volumeRefersToSecret } from "./node-references.ts";

/** Provides the relations between nodes and objects. */
export interface NodeSource {
  object(group: string, resource: string, namespace: string, name: string): Promise<ReadonlyObject | undefined>;
  /** Returns the pods in a namespace that are bound to the node. */
  podsOnNode(namespace: string, node: string): Promise<readonly ReadonlyObject[]>;
  persistentVolumes(): Promise<readonly ReadonlyObject[]>;
}

/**
 * Returns the name of the node that a user represents, `undefined` if the user is not a node, or an empty string if the
 * node has no name.
 *
 * @see kubernetes pkg/auth/nodeidentifier
 */
export function nodeNameOf({ name, groups }: RequestUser): string | undefined {
  if (!name.startsWith("system:node:") || !groups.includes("system:nodes")) return undefined;
  return name.slice("system:node:".length);
}

const allow: AuthorizationDecision = { decision: "allow" };
const refuse = (reason?: string): AuthorizationDecision => ({ decision: "no opinion", ...(reason ? { reason } : {}) });

/**
 * An authorizer for requests from kubelets. A kubelet is allowed to access Secrets, volumes and similar objects only if
 * a pod on its node needs them.
 *
 * @see kubernetes plugin/pkg/auth/authorizer/node NodeAuthorizer
 */
export class NodeAuthorizer {
  readonly #source: NodeSource;
  readonly #rules: () => Promise<readonly RbacRule[]>;

  /**
   * Creates an authorizer for nodes.
   *
   * @param rules permissions that every node has, regardless of its pods
   */
  constructor(source: NodeSource, rules: () => Promise<readonly RbacRule[]>) {
    this.#source = source;
    this.#rules = rules;
  }

  readonly rulesFor: RuleResolver = async (user, namespace) =>
    nodeNameOf(user) === undefined
      ? { rules: [], incomplete: false }
      : unlistedRules("node authorizer does not support user rule resolution")(user, namespace);

  readonly authorize: Authorizer = async (attributes) => {
    const node = nodeNameOf(attributes.user);
    if (node === undefined) return refuse();
    if (node === "") return refuse(`unknown node for user ${quote(attributes.user.name)}`);
    const divided = attributes.isResourceRequest ? this.#divided(node, attributes) : undefined;
    if (divided) return divided;
    const rules = await this.#rules();
    return rules.some((rule) => ruleAllows(rule, attributes)) ? allow : refuse();
  };

  /**
   * Returns the decision on a request for a resource that nodes may access only in part. Returns `undefined` for resources to which all
   * nodes have the same access.
   */
  #divided(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> | undefined {
    const { group, resource, subresource, verb, name, namespace } = attributes;
    switch (group === "" ? resource : `${resource}.${group}`) {
      case "secrets":
      case "configmaps":
        return this.#readNamespaced(node, attributes);
      case "persistentvolumeclaims":
        return subresource === "status" ? this.#updateStatus(node, attributes) : this.#get(node, attributes);
      case "persistentvolumes":
      case "resourceclaims.resource.k8s.io":
      case "volumeattachments.storage.k8s.io":
        return this.#get(node, attributes);
      case "serviceaccounts":
        return verb === "get" && subresource === ""
          ? this.#readNamespaced(node, attributes)
          : this.#createToken(node, attributes);
      case "leases.coordination.k8s.io":
        return Promise.resolve(ownLease(node, verb, namespace, name));
      case "csinodes.storage.k8s.io":
        return Promise.resolve(ownCsiNode(node, attributes));
      case "resourceslices.resource.k8s.io":
        return this.#slices(node, attributes);
      case "nodes":
        return Promise.resolve(ownNode(node, attributes));
      case "pods":
        return this.#pods(node, attributes);
      case "podcertificaterequests.certificates.k8s.io":
        return Promise.resolve(refuse());
      default:
        return undefined;
    }
  }

  async #readNamespaced(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { verb, subresource, namespace } = attributes;
    if (verb !== "get" && verb !== "list" && verb !== "watch") return refuse("can only read resources of this type");
    if (subresource !== "") return refuse("cannot read subresource");
    if (namespace === "") return refuse("can only read namespaced object of this type");
    return this.#related(node, attributes);
  }

  async #get(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    if (attributes.verb !== "get") return refuse("can only get individual resources of this type");
    if (attributes.subresource !== "") return refuse("cannot get subresource");
    return this.#related(node, attributes);
  }

  async #updateStatus(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    if (attributes.verb !== "update" && attributes.verb !== "patch")
      return refuse("can only get/update/patch this type");
    return this.#related(node, attributes);
  }

  async #createToken(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    if (attributes.verb !== "create" || attributes.name === "")
      return refuse("can only create tokens for individual service accounts");
    if (attributes.subresource !== "token") return refuse("can only create token subresource of serviceaccount");
    return this.#related(node, attributes);
  }

  async #slices(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { verb, subresource } = attributes;
    if (subresource !== "") return refuse("cannot authorize ResourceSlice subresources");
    switch (verb) {
      case "create":
        return allow;
      case "get":
      case "update":
      case "patch":
      case "delete":
        return this.#related(node, attributes);
      case "watch":
      case "list":
      case "deletecollection":
        return selectsNode(attributes, node)
          ? allow
          : refuse("can only list/watch/deletecollection resourceslices with nodeName field selector");
      default:
        return refuse(
          "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
        );
    }
  }

  async #pods(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { subresource, verb, name } = attributes;
    if (subresource === "" && verb === "get") return this.#get(node, attributes);
    if (subresource === "" && (verb === "list" || verb === "watch")) {
      if (selectsNode(attributes, node)) return allow;
      return name === ""
        ? refuse("can only list/watch pods with spec.nodeName field selector")
        : this.#related(node, attributes);
    }
    const done: Readonly<Record<string, readonly string[]>> = {
      "": ["create", "delete"],
      status: ["update", "patch"],
      eviction: ["create"],
    };
    return ownMember(done, subresource)?.includes(verb) ? allow : refuse();
  }

  async #related(node: string, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    if (attributes.name === "") return refuse("No Object name found");
    return (await this.#isRelated(node, attributes))
      ? allow
      : refuse(`no relationship found between node '${node}' and this object`);
  }

  async #isRelated(node: string, { resource, namespace, name }: AuthorizationAttributes): Promise<boolean> {
    const source = this.#source;
    switch (resource) {
      case "pods":
        return path(await source.object("", "pods", namespace, name), "spec", "nodeName") === node;
      case "volumeattachments":
        return path(await source.object("storage.k8s.io", resource, "", name), "spec", "nodeName") === node;
      case "resourceslices":
        return path(await source.object("resource.k8s.io", resource, "", name), "spec", "nodeName") === node;
      case "persistentvolumes": {
        const volume = await source.object("", resource, "", name);
        return volume !== undefined && this.#holdsClaimOf(node, volume);
      }
      case "secrets":
        return (
          (await this.#podsReferTo(node, namespace, resource, name)) || this.#volumesReferTo(node, namespace, name)
        );
      case "configmaps":
      case "serviceaccounts":
      case "persistentvolumeclaims":
      case "resourceclaims":
        return this.#podsReferTo(node, namespace, resource, name);
      default:
        return false;
    }
  }

  async #podsReferTo(node: string, namespace: string, resource: ReferencedResource, name: string): Promise<boolean> {
    const pods = await this.#source.podsOnNode(namespace, node);
    return pods.some((pod) => podRefersTo(pod, resource, name));
  }

  async #volumesReferTo(node: string, namespace: string, name: string): Promise<boolean> {
    for (const volume of await this.#source.persistentVolumes())
      if (volumeRefersToSecret(volume, namespace, name) && (await this.#holdsClaimOf(node, volume))) return true;
    return false;
  }

  async #holdsClaimOf(node: string, volume: ReadonlyObject): Promise<boolean> {
    const namespace = path(volume, "spec", "claimRef", "namespace");
    const name = path(volume, "spec", "claimRef", "name");
    if (typeof namespace !== "string" || typeof name !== "string") return false;
    return this.#podsReferTo(node, namespace, "persistentvolumeclaims", name);
  }
}

const path = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inside, name) => (isRecord(inside) ? inside[name] : undefined), value);

const selectsNode = ({ fieldSelector = [] }: AuthorizationAttributes, node: string): boolean =>
  fieldSelector.some(
    ({ key, operator, values = [] }) =>
      key === "spec.nodeName" && operator === "In" && values.length === 1 && values[0] === node,
  );

const ownVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"]);

function ownLease(node: string, verb: string, namespace: string, name: string): AuthorizationDecision {
  if (!ownVerbs.has(verb)) return refuse("can only get, create, update, patch, or delete a node lease");
  if (namespace !== "kube-node-lease")
    return refuse('can only access leases in the "kube-node-lease" system namespace');
  return verb === "create" || name === node
    ? allow
    : refuse("can only access node lease with the same name as the requesting node");
}

function ownCsiNode(node: string, { verb, subresource, name }: AuthorizationAttributes): AuthorizationDecision {
  if (!ownVerbs.has(verb)) return refuse("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return refuse("cannot authorize CSINode subresources");
  return verb === "create" || name === node
    ? allow
    : refuse("can only access CSINode with the same name as the requesting node");
}

function ownNode(node: string, { verb, subresource, name }: AuthorizationAttributes): AuthorizationDecision {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allow : refuse();
  if (subresource !== "") return refuse();
  switch (verb) {
    case "create":
    case "update":
    case "patch":
      return allow;
    case "get":
    case "list":
    case "watch":
      if (name === node) return allow;
      return refuse(
        name === ""
          ? `node '${node}' cannot read all nodes, only its own Node object`
          : `node '${node}' cannot read '${name}', only its own Node object`,
      );
    default:
      return refuse();
  }
}
