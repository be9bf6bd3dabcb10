import { isRecord, jsonEqual, ownMember, quote } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { PodSpec, Toleration } from "../../kinds/pod/pod-types.ts";
import { equalResources, parseResourceList } from "../../kinds/resource-list.ts";

interface RuntimeClass {
  readonly overhead?: { readonly podFixed?: Record<string, string> };
  readonly scheduling?: { readonly nodeSelector?: Record<string, string>; readonly tolerations?: Toleration[] };
}

/** Sets a pod's overhead, node selector and tolerations from its runtime class. @see kubernetes plugin/pkg/admission/runtimeclass */
export function runtimeClass(lookup: (name: string) => Promise<ReadonlyObject | undefined>): AdmissionPlugin {
  const classOf = async (attributes: AdmissionAttributes, spec: PodSpec): Promise<RuntimeClass | undefined> => {
    const name = spec.runtimeClassName;
    if (typeof name !== "string") return undefined;
    const found = await lookup(name);
    if (!found) throw admissionForbidden(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`);
    return found as RuntimeClass;
  };
  return {
    name: "RuntimeClass",
    resources: ["pods"],
    handles: (operation) => operation === "CREATE",

    async admit(attributes) {
      const spec = podSpecOf(attributes);
      const found = spec && (await classOf(attributes, spec));
      if (!found) return;
      const overhead = found.overhead?.podFixed;
      if (overhead) {
        if (hasOverhead(spec) && !sameOverhead(spec, overhead)) throw mismatch(attributes);
        spec.overhead = { ...overhead };
      }
      if (found.scheduling) schedule(attributes, spec, found.scheduling);
    },

    async validate(attributes) {
      const spec = podSpecOf(attributes);
      if (!spec) return;
      const overhead = (await classOf(attributes, spec))?.overhead?.podFixed;
      if (overhead && !sameOverhead(spec, overhead)) throw mismatch(attributes);
      if (!overhead && spec.overhead !== undefined)
        throw admissionForbidden(
          attributes,
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        );
    },
  };
}

const podSpecOf = ({ resource, subresource, object }: AdmissionAttributes): PodSpec | undefined =>
  resource.group === "" && resource.resource === "pods" && subresource === "" && isRecord(object?.spec)
    ? (object.spec as PodSpec)
    : undefined;

const hasOverhead = ({ overhead }: PodSpec): boolean => isRecord(overhead) && Object.keys(overhead).length > 0;

const sameOverhead = ({ overhead }: PodSpec, wanted: Record<string, string>): boolean =>
  equalResources(parseResourceList(overhead as Record<string, string> | undefined), parseResourceList(wanted));

const mismatch = (attributes: AdmissionAttributes): Error =>
  admissionForbidden(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

function schedule(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass["scheduling"]>,
): void {
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = ownMember(spec.nodeSelector, key);
    if (own !== undefined && own !== value)
      throw admissionForbidden(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const present = spec.tolerations ?? [];
  const added = tolerations.filter((each) => !present.some((other) => jsonEqual(each, other)));
  if (added.length > 0) spec.tolerations = [...present, ...structuredClone(added)];
}
