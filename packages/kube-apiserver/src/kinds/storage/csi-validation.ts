import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, nonNegative } from "../checks.ts";

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  storageCapacity?: boolean;
  fsGroupPolicy?: string;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  volumeLifecycleModes?: string[];
  tokenRequests?: { audience?: string; expirationSeconds?: number }[];
  nodeAllocatableUpdatePeriodSeconds?: number;
  serviceAccountTokenInSecrets?: boolean;
}

export interface CSINodeDriver {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[] | null;
  allocatable?: { count?: number };
}

const at = fieldPath("spec");
const longestDriverName = 63;
const longestNodeId = 256;
const fsGroupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const tenMinutes = 600;

/** Returns the errors in a CSI driver's name. @see pkg/apis/core/validation ValidateCSIDriverName */
export function driverNameErrors(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [fieldError.required(path)];
  return [
    ...(name.length > longestDriverName ? [fieldError.tooLong(path, longestDriverName)] : []),
    ...messages(name, isDns1123Subdomain(name.toLowerCase()), path),
  ];
}

/** Returns the errors in a CSIDriver's specification. @see pkg/apis/storage/validation validateCSIDriverSpec */
export function validateDriver(spec: CSIDriverSpec): FieldError[] {
  const { fsGroupPolicy, volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  return [
    ...(fsGroupPolicy !== undefined && !fsGroupPolicies.includes(fsGroupPolicy)
      ? [fieldError.notSupported(at.child("fsGroupPolicy"), fsGroupPolicy, fsGroupPolicies)]
      : []),
    ...tokenRequestErrors(spec.tokenRequests ?? []),
    ...volumeLifecycleModes
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => fieldError.notSupported(at.child("volumeLifecycleModes"), mode, lifecycleModes)),
    ...(period !== undefined && period < 10
      ? [
          fieldError.invalid(
            at.child("nodeAllocatableUpdatePeriodSeconds"),
            period,
            "must be greater than or equal to 10 seconds",
          ),
        ]
      : []),
    ...(spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length
      ? [
          fieldError.invalid(
            at.child("serviceAccountTokenInSecrets"),
            spec.serviceAccountTokenInSecrets,
            "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
          ),
        ]
      : []),
  ];
}

function tokenRequestErrors(requests: NonNullable<CSIDriverSpec["tokenRequests"]>): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience = "", expirationSeconds: seconds }, i) => {
    const path = at.child("tokenRequests").index(i);
    if (audiences.has(audience)) return [fieldError.duplicate(path.child("audience"), audience)];
    audiences.add(audience);
    const where = path.child("expirationSeconds");
    if (seconds !== undefined && seconds < tenMinutes)
      return [fieldError.invalid(where, seconds, "may not specify a duration less than 10 minutes")];
    if (seconds !== undefined && seconds > 2 ** 32)
      return [fieldError.invalid(where, seconds, "may not specify a duration larger than 2^32 seconds")];
    return [];
  });
}

/** Returns the errors in a CSINode's drivers. @see pkg/apis/storage/validation validateCSINodeDrivers */
export function validateNodeDrivers(drivers: readonly CSINodeDriver[]): FieldError[] {
  const names = new Set<string>();
  return drivers.flatMap((driver, i) => {
    const path = at.child("drivers").index(i);
    const { name = "", nodeID = "" } = driver;
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...driverNameErrors(name, path.child("name")),
      ...(nodeID === "" ? [fieldError.required(path.child("nodeID"))] : []),
      ...(nodeID.length > longestNodeId
        ? [fieldError.invalid(path.child("nodeID"), nodeID, `must be ${longestNodeId} characters or less`)]
        : []),
      ...nonNegative(driver.allocatable?.count, path.child("allocatable", "count")),
      ...(isTaken ? [fieldError.duplicate(path.child("name"), name)] : []),
      ...topologyKeyErrors(driver.topologyKeys ?? [], path),
    ];
  });
}

function topologyKeyErrors(keys: readonly string[], path: FieldPath): FieldError[] {
  return keys.flatMap((key, i) => [
    ...(key === "" ? [fieldError.required(path)] : []),
    ...(keys.indexOf(key) < i ? [fieldError.duplicate(path, key)] : []),
    ...messages(key, validateQualifiedName(key), path),
  ]);
}
