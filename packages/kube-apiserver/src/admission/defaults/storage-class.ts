import { isRecord, Quantity } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { defaultClass } from "./default-class.ts";

type ReadClasses = () => Promise<readonly ReadonlyObject[]>;

interface ClaimSpec {
  storageClassName?: string;
  resources?: { requests?: Record<string, string | number> };
}

const betaClass = "volume.beta.kubernetes.io/storage-class";
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

const isClaim = ({ resource, subresource }: AdmissionAttributes): boolean =>
  resource.group === "" && resource.resource === "persistentvolumeclaims" && subresource === "";

const specOf = (object: ReadonlyObject): ClaimSpec => (isRecord(object.spec) ? (object.spec as ClaimSpec) : {});

/** Returns the storage class that a claim names, or `undefined` if the claim leaves the choice to the cluster. */
const classOf = (claim: ReadonlyObject): string | undefined =>
  claim.metadata.annotations?.[betaClass] ?? specOf(claim).storageClassName;

/**
 * Sets the default storage class on new claims without a class.
 *
 * @see kubernetes plugin/pkg/admission/storage/storageclass/setdefault
 */
export function defaultStorageClass(classes: ReadClasses): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    resources: ["persistentvolumeclaims"],
    handles: (operation) => operation === "CREATE",
    async admit(attributes) {
      const { object } = attributes;
      if (!isClaim(attributes) || !object || classOf(object) !== undefined) return;
      const found = defaultClass(await classes(), defaultAnnotations);
      if (found) object.spec = { ...(isRecord(object.spec) ? object.spec : {}), storageClassName: found.metadata.name };
    },
  };
}

/**
 * Rejects an increase in a claim's size unless the claim is bound and its storage class allows expansion.
 *
 * @see kubernetes plugin/pkg/admission/storage/persistentvolume/resize
 */
export function persistentVolumeClaimResize(classes: ReadClasses): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    resources: ["persistentvolumeclaims"],
    handles: (operation) => operation === "UPDATE",
    async validate(attributes) {
      const { object, oldObject } = attributes;
      if (!isClaim(attributes) || !object || !oldObject) return;
      if (storageOf(object).compare(storageOf(oldObject)) <= 0) return;
      if (!isRecord(oldObject.status) || oldObject.status.phase !== "Bound")
        throw admissionForbidden(attributes, "Only bound persistent volume claims can be expanded");
      const name = classOf(object);
      const storageClass =
        name && name === classOf(oldObject)
          ? (await classes()).find(({ metadata }) => metadata.name === name)
          : undefined;
      if (storageClass?.allowVolumeExpansion !== true)
        throw admissionForbidden(
          attributes,
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
        );
    },
  };
}

const storageOf = (claim: ReadonlyObject): Quantity =>
  Quantity.parse(specOf(claim).resources?.requests?.storage ?? "0");
