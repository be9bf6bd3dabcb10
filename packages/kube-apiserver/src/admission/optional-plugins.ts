import { fieldError, fieldErrorMessage, fieldPath, isRecord, notFound } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin, NamespaceLookup } from "@kubewright/apiserver/admission";
import { admissionForbidden, aggregateText } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { Container, PodSpec } from "../kinds/pod/pod-types.ts";

const isOf = ({ resource, subresource }: AdmissionAttributes, plural: string): boolean =>
  resource.group === "" && resource.resource === plural && subresource === "";

const specOf = ({ object }: AdmissionAttributes): PodSpec => (isRecord(object?.spec) ? (object.spec as PodSpec) : {});

/** Admits everything. @see kubernetes plugin/pkg/admission/admit */
const alwaysAdmit: AdmissionPlugin = { name: "AlwaysAdmit", handles: () => true };

/** Rejects everything. @see kubernetes plugin/pkg/admission/deny */
const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  handles: () => true,
  admit(attributes) {
    throw admissionForbidden(attributes, "admission control is denying all modifications");
  },
};

/** Sets the pull policy of all containers to `Always`. @see kubernetes plugin/pkg/admission/alwayspullimages */
const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes) {
    if (!isOf(attributes, "pods") || !attributes.object || keepsImages(attributes)) return;
    for (const container of containersOf(specOf(attributes))) container.imagePullPolicy = "Always";
  },
  validate(attributes) {
    if (!isOf(attributes, "pods") || !attributes.object || keepsImages(attributes)) return;
    const spec = specOf(attributes);
    const complaints = (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((field) =>
      (spec[field] ?? []).flatMap(({ imagePullPolicy = "" }, i) => {
        if (imagePullPolicy === "Always") return [];
        const at = fieldPath("spec", field).index(i).child("imagePullPolicy");
        return [fieldErrorMessage(fieldError.notSupported(at, imagePullPolicy, ["Always"]))];
      }),
    );
    if (complaints.length > 0) throw admissionForbidden(attributes, aggregateText(complaints));
  },
};

const containersOf = (spec: PodSpec): Container[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** True for an update that adds no new image, and therefore needs no check. */
function keepsImages({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation !== "UPDATE" || !object || !oldObject) return false;
  const images = (pod: ReadonlyObject): (string | undefined)[] =>
    containersOf((pod.spec ?? {}) as PodSpec).map(({ image }) => image);
  const before = new Set(images(oldObject));
  return images(object).every((image) => before.has(image));
}

/** Rejects Services with new external addresses. @see kubernetes plugin/pkg/admission/network/denyserviceexternalips */
const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes) {
    if (!isOf(attributes, "services")) return;
    const addresses = (service: ReadonlyObject | undefined): readonly unknown[] =>
      isRecord(service?.spec) && Array.isArray(service.spec.externalIPs) ? service.spec.externalIPs : [];
    const before = addresses(attributes.oldObject);
    if (addresses(attributes.object).some((address) => !before.includes(address)))
      throw admissionForbidden(attributes, "Use of external IPs is denied by admission control");
  },
};

interface AntiAffinity {
  readonly podAntiAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly { readonly topologyKey?: string }[];
  };
}

/** Rejects pods with a required anti-affinity whose topology key is not the host name. @see kubernetes plugin/pkg/admission/antiaffinity */
const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: "LimitPodHardAntiAffinityTopology",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes) {
    if (!isOf(attributes, "pods")) return;
    const { podAntiAffinity } = (specOf(attributes).affinity ?? {}) as AntiAffinity;
    const hostname = "kubernetes.io/hostname";
    for (const { topologyKey } of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      if (topologyKey !== hostname)
        throw admissionForbidden(
          attributes,
          `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${hostname} is allowed`,
        );
  },
};

/** Rejects writes and deletions in a namespace that does not exist. @see kubernetes plugin/pkg/admission/namespace/exists */
const namespaceExists = (lookup: NamespaceLookup): AdmissionPlugin => ({
  name: "NamespaceExists",
  handles: (operation) => operation !== "CONNECT",
  async validate({ namespace, kind }) {
    if (namespace === "" || (kind.group === "" && kind.kind === "Namespace")) return;
    if (!(await lookup(namespace))) throw notFound({ group: "", resource: "namespaces" }, namespace);
  },
});

/** Returns the plugins that are disabled unless a user enables them by name. */
export const optionalPlugins = (lookup: NamespaceLookup): readonly AdmissionPlugin[] => [
  alwaysAdmit,
  alwaysDeny,
  alwaysPullImages,
  denyServiceExternalIPs,
  limitPodHardAntiAffinityTopology,
  namespaceExists(lookup),
];
