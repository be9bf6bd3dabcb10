import { type FieldError, type FieldPath, fieldError, Quantity, validateQualifiedName } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";

/** Returns the errors in a path inside a volume. @see pkg/apis/core/validation validateLocalDescendingPath */
export function descendingPathErrors(path: string, at: FieldPath): FieldError[] {
  return [
    ...(path.startsWith("/") ? [fieldError.invalid(at, path, "must be a relative path")] : []),
    ...(path.split("/").includes("..") ? [fieldError.invalid(at, path, "must not contain '..'")] : []),
  ];
}

/**
 * Returns the errors in the path of a file that the kubelet writes to a volume.
 *
 * @see pkg/apis/core/validation validateLocalNonReservedPath
 */
export const filePathErrors = (path: string, at: FieldPath): FieldError[] => [
  ...descendingPathErrors(path, at),
  ...(path.startsWith("..") && !path.startsWith("../")
    ? [fieldError.invalid(at, path, "must not start with '..'")]
    : []),
];

/** Returns the errors in a file mode. */
export const modeErrors = (mode: number | undefined, at: FieldPath): FieldError[] =>
  mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [fieldError.invalid(at, mode, "must be a number between 0 and 0777 (octal), both inclusive")];

export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath?: string;
}

const fieldLabels =
  /^(?:metadata\.(?:name|namespace|uid|annotations|labels)|spec\.(?:nodeName|restartPolicy|schedulerName|serviceAccountName|hostNetwork)|status\.(?:phase|hostIP|hostIPs|podIP|podIPs|nominatedNodeName))$/;
const inEnvironment = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const inVolumes = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/** Returns the errors in a reference to a pod's field. @see pkg/apis/core/validation validateObjectFieldSelector */
export function objectFieldErrors(
  { apiVersion = "", fieldPath = "" }: ObjectFieldSelector,
  use: "environment" | "volume",
  at: FieldPath,
): FieldError[] {
  const path = at.child("fieldPath");
  if (apiVersion === "") return [fieldError.required(at.child("apiVersion"))];
  if (fieldPath === "") return [fieldError.required(path)];
  const subscripted = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(fieldPath);
  if (!subscripted && !fieldLabels.test(fieldPath))
    return [fieldError.invalid(path, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  if (subscripted) {
    const [, whole = "", key = ""] = subscripted;
    const name = whole === "metadata.annotations" ? key.toLowerCase() : key;
    return messages(key, validateQualifiedName(name), at);
  }
  const known = use === "environment" ? inEnvironment : inVolumes;
  return known.includes(fieldPath) ? [] : [fieldError.notSupported(path, fieldPath, known)];
}

export interface ResourceFieldSelector {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

const countable = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/**
 * Returns the errors in a reference to a container's resource.
 *
 * @see pkg/apis/core/validation validateContainerResourceFieldSelector
 */
export function resourceFieldErrors(
  { containerName = "", resource = "", divisor = "0" }: ResourceFieldSelector,
  use: "environment" | "volume",
  at: FieldPath,
): FieldError[] {
  if (use === "volume" && containerName === "") return [fieldError.required(at.child("containerName"))];
  if (resource === "") return [fieldError.required(at.child("resource"))];
  if (!countable.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource))
    return [fieldError.notSupported(at.child("resource"), resource, countable)];
  const amount = Quantity.parse(divisor);
  const [allowed, what] = /cpu$/.test(resource)
    ? [["1m", "1"], "1m and 1 are supported with the cpu resource"]
    : [
        byteDivisors,
        `${byteDivisors.join(", ")} are supported with the ${resource.endsWith("ephemeral-storage") ? "local ephemeral storage" : /memory$/.test(resource) ? "memory" : "hugepages"} resource`,
      ];
  if (amount.isZero || allowed.some((each) => Quantity.parse(each).compare(amount) === 0)) return [];
  return [fieldError.invalid(at.child("divisor"), amount.toString(), `only divisor's values ${what}`)];
}
