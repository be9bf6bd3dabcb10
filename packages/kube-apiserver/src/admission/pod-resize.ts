import { isRecord, jsonEqual, quote, StatusError } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { PodSpec } from "../kinds/pod/pod-types.ts";
import { podResourcesWithOverhead } from "../kinds/pod-resources.ts";
import { parseResourceList, type WireResourceList, zero } from "../kinds/resource-list.ts";

type NodeLookup = (name: string) => Promise<ReadonlyObject | undefined>;

/**
 * Rejects resizing a pod if the resized pod would not fit on its node.
 *
 * @see kubernetes plugin/pkg/admission/podresize
 */
export const podResizeValidator = (lookup: NodeLookup): AdmissionPlugin => ({
  name: "PodResizeValidator",
  resources: ["pods"],
  handles: (operation) => operation === "UPDATE",
  async validate(attributes) {
    const changed = attributes.subresource === "resize" ? changedSpecs(attributes) : undefined;
    if (!changed) return;
    const node = await nodeOf(changed.spec, attributes, lookup);
    const { allocatable } = isRecord(node.status) ? node.status : {};
    const there = parseResourceList(allocatable as WireResourceList | undefined);
    const wanted = podResourcesWithOverhead(changed.spec, "requests");
    const lacking = (["cpu", "memory"] as const).flatMap((name) => {
      const [requested, limit] = [wanted[name] ?? zero, there[name] ?? zero];
      const unit = name === "cpu" ? 1_000_000n : 1_000_000_000n;
      const shown = ({ nanos }: { readonly nanos: bigint }): bigint => (nanos + unit - 1n) / unit;
      return shown(requested) > shown(limit)
        ? [`${name}, requested: ${shown(requested)}, allocatable: ${shown(limit)}`]
        : [];
    });
    if (lacking.length === 0) return;
    const { status } = admissionForbidden(
      attributes,
      `node didn't have enough allocatable resources: ${lacking.join("; ")}`,
    );
    throw new StatusError({ ...status, details: { ...status.details, causes: [{ reason: "NodeCapacity" }] } });
  },
});

const resizesPods = "InPlacePodLevelResourcesVerticalScaling";

/**
 * Rejects a change to a pod unless its node declares the features that the change requires.
 *
 * @see kubernetes plugin/pkg/admission/nodedeclaredfeatures
 */
export const nodeDeclaredFeatureValidator = (lookup: NodeLookup): AdmissionPlugin => ({
  name: "NodeDeclaredFeatureValidator",
  resources: ["pods"],
  handles: (operation) => operation === "UPDATE",
  async validate(attributes) {
    const isMeant = attributes.subresource === "" || attributes.subresource === "resize";
    const changed = isMeant ? changedSpecs(attributes) : undefined;
    if (!changed || jsonEqual(changed.spec.resources ?? null, changed.old.resources ?? null)) return;
    const { metadata, status } = await nodeOf(changed.spec, attributes, lookup);
    const declared = isRecord(status) && Array.isArray(status.declaredFeatures) ? status.declaredFeatures : [];
    if (!declared.includes(resizesPods))
      throw admissionForbidden(
        attributes,
        `pod update requires features ${resizesPods} which are not available on node ${quote(metadata.name)}`,
      );
  },
});

/** Returns the old and new specs of a pod that has a node, or `undefined` if they do not differ. */
function changedSpecs({
  resource,
  object,
  oldObject,
}: AdmissionAttributes): { spec: PodSpec; old: PodSpec } | undefined {
  if (resource.group !== "" || resource.resource !== "pods" || !isRecord(object?.spec)) return undefined;
  const [spec, old] = [object.spec as PodSpec, (oldObject?.spec ?? {}) as PodSpec];
  return spec.nodeName && !jsonEqual(spec, old) ? { spec, old } : undefined;
}

async function nodeOf(
  { nodeName = "" }: PodSpec,
  attributes: AdmissionAttributes,
  lookup: NodeLookup,
): Promise<ReadonlyObject> {
  const node = await lookup(nodeName);
  if (!node) throw admissionForbidden(attributes, `node ${quote(nodeName)} not found`);
  return node;
}
