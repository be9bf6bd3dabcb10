import { type FieldError, type FieldPath, fieldError, Quantity, validateQualifiedName } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";

const compute = ["cpu", "memory", "ephemeral-storage"];
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const quotaResources = new Set([
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...counted,
]);
const standardResources = new Set([...quotaResources, "storage"]);

/** Reports whether a resource consists of huge pages. */
export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
const isHugePagesQuota = (name: string): boolean => isHugePages(name) || name.startsWith("requests.hugepages-");
const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");
const isScoped = (name: string): boolean => name.includes("/");

/** Reports whether a name is the name of an extended resource. @see pkg/apis/core/helper IsExtendedResourceName */
const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0;

/**
 * Reports whether a name denotes a standard resource for quotas.
 *
 * @see pkg/apis/core/helper IsStandardQuotaResourceName
 */
export const isQuotaResource = (name: string): boolean => quotaResources.has(name) || isHugePagesQuota(name);

/**
 * Reports whether nodes may overcommit a resource, so that its limit may be greater than its request.
 *
 * @see pkg/apis/core/helper IsOvercommitAllowed
 */
export const allowsOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

/** Returns the errors in a resource's name. @see pkg/apis/core/validation validateResourceName */
export function resourceNameErrors(name: string, at: FieldPath): FieldError[] {
  const errors = messages(name, validateQualifiedName(name), at);
  if (errors.length > 0 || isScoped(name) || standardResources.has(name) || isHugePagesQuota(name)) return errors;
  return [fieldError.invalid(at, name, "must be a standard resource type or fully qualified")];
}

/**
 * Returns the errors in the name of a resource requested by a container.
 *
 * @see pkg/apis/core/validation validateContainerResourceName
 */
export function containerResourceNameErrors(name: string, at: FieldPath): FieldError[] {
  const errors = resourceNameErrors(name, at);
  if (!isScoped(name) && !compute.includes(name) && !isHugePages(name))
    errors.push(fieldError.invalid(at, name, "must be a standard resource for containers"));
  if (isScoped(name) && !isNative(name) && !isExtended(name))
    errors.push(fieldError.invalid(at, name, "doesn't follow extended resource name standard"));
  return errors;
}

/**
 * Returns the errors in a resource's name and amount in a quota.
 *
 * @see pkg/apis/core/validation ValidateResourceQuotaResourceName
 */
export function quotaAmountErrors(name: string, amount: string | number, at: FieldPath): FieldError[] {
  const errors = resourceNameErrors(name, at);
  if (!isScoped(name) && !isQuotaResource(name))
    errors.push(fieldError.invalid(at, name, "must be a standard resource for quota"));
  return [...errors, ...amountErrors(name, Quantity.parse(amount), at)];
}

/** Returns the errors in a resource's amount. @see pkg/apis/core/validation ValidateResourceQuantityValue */
export function amountErrors(name: string, amount: Quantity, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (amount.nanos < 0n) errors.push(fieldError.invalid(at, amount.toString(), "must be greater than or equal to 0"));
  if ((counted.includes(name) || isExtended(name)) && amount.milliValue % 1000n !== 0n)
    errors.push(fieldError.invalid(at, amount.toString(), "must be an integer"));
  return errors;
}

/**
 * Returns the error in an amount of huge pages, which must be a multiple of their size.
 *
 * @see pkg/apis/core/validation validateResourceQuantityHugePageValue
 */
export function hugePageErrors(name: string, amount: Quantity, at: FieldPath): FieldError[] {
  if (!isHugePages(name)) return [];
  const text = name.slice("hugepages-".length);
  const size = Quantity.isValid(text) ? Quantity.parse(text) : undefined;
  if (size && size.nanos > 0n && size.milliValue % 1000n === 0n && amount.value % size.value === 0n) return [];
  return [fieldError.invalid(at, amount.toString(), `${amount} is not positive integer multiple of ${name}`)];
}
