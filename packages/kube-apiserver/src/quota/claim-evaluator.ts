import { Quantity } from "@kubewright/apimachinery";
import { one, type ResourceList } from "../kinds/resource-list.ts";
import { countName, type QuotaEvaluator } from "./quota-evaluator.ts";
import { selectorAccepts } from "./quota-scope.ts";

const plain = ["persistentvolumeclaims", "requests.storage"];
const classSuffix = ".storageclass.storage.k8s.io/";

interface Claim {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
  };
  readonly status?: {
    readonly allocatedResources?: Readonly<Record<string, string | number>>;
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

/**
 * Counts claims and the storage that they request, in total and by storage class.
 *
 * @see pkg/quota/v1/evaluator/core persistent_volume_claims.go
 */
export const claimEvaluator: QuotaEvaluator = {
  group: "",
  resource: "persistentvolumeclaims",
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === "") return operation === "CREATE" || operation === "UPDATE";
    if (subresource !== "status" || !object || !oldObject) return false;
    const [now, before] = [object as Claim, oldObject as Claim];
    return (
      now.status?.allocatedResources?.storage !== before.status?.allocatedResources?.storage ||
      attributesClasses(now).join() !== attributesClasses(before).join()
    );
  },
  constraint: () => undefined,
  matchingResources: (names) =>
    names.filter(
      (name) =>
        name === countName("", "persistentvolumeclaims") ||
        plain.includes(name) ||
        plain.some((each) => name.endsWith(`${classSuffix}${each}`)),
    ),
  isInScope(scope, object) {
    if (scope.scopeName !== "VolumeAttributesClass") return false;
    const classes = attributesClasses(object as Claim);
    if (classes.length === 0) return selectorAccepts(scope, undefined);
    return classes.some((each) => selectorAccepts(scope, each));
  },
  usage(object) {
    const claim = object as Claim;
    const usage: Record<string, ResourceList[string]> = {
      [countName("", "persistentvolumeclaims")]: one,
      persistentvolumeclaims: one,
    };
    const storage = storageOf(claim);
    if (storage) usage["requests.storage"] = storage;
    const storageClass =
      claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? claim.spec?.storageClassName;
    if (storageClass)
      for (const name of plain) {
        const amount = usage[name];
        if (amount) usage[`${storageClass}${classSuffix}${name}`] = amount;
      }
    return usage;
  },
};

function storageOf({ spec, status }: Claim): Quantity | undefined {
  const asked = spec?.resources?.requests?.storage;
  if (asked === undefined) return undefined;
  const request = wholeBytes(asked);
  const allocated = status?.allocatedResources?.storage;
  if (allocated === undefined) return request;
  const given = wholeBytes(allocated);
  return given.compare(request) > 0 ? given : request;
}

/** Returns a number of bytes, rounded up to a whole number, because the status of a quota contains only whole numbers. */
function wholeBytes(amount: string | number): Quantity {
  const parsed = Quantity.parse(amount);
  const whole = Quantity.parse(String(parsed.value));
  return whole.compare(parsed) === 0 ? parsed : whole;
}

function attributesClasses({ spec, status }: Claim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))].sort() as string[];
}
