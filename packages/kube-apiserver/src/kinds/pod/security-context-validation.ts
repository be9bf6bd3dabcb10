import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { PodSpec } from "./pod-types.ts";

interface Profile {
  type?: string;
  localhostProfile?: string;
}

interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  supplementalGroups?: number[];
  fsGroupChangePolicy?: string;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] };
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
}

const maxId = 2 ** 31 - 1;
const idErrors = (id: number | undefined, at: FieldPath): FieldError[] =>
  id === undefined || (id >= 0 && id <= maxId)
    ? []
    : [fieldError.invalid(at, id, `must be between 0 and ${maxId}, inclusive`)];

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function profileErrors(
  { type = "", localhostProfile }: Profile,
  what: "seccomp" | "AppArmor",
  at: FieldPath,
): FieldError[] {
  const member = what === "seccomp" ? "seccompProfile" : "appArmorProfile";
  const path = at.child("localhostProfile");
  if (type === "")
    return [
      fieldError.required(
        at.child("type"),
        what === "seccomp" ? `type is required when ${member} is set` : "type is required when appArmorProfile is set",
      ),
    ];
  const unknown = profileTypes.includes(type) ? [] : [fieldError.notSupported(at.child("type"), type, profileTypes)];
  if (type === "Localhost")
    return localhostProfile === undefined
      ? [fieldError.required(path, `must be set when ${what} type is Localhost`)]
      : [];
  return localhostProfile === undefined
    ? unknown
    : [...unknown, fieldError.invalid(path, localhostProfile, `can only be set when ${what} type is Localhost`)];
}

function profilesErrors(context: SecurityContext, at: FieldPath): FieldError[] {
  return [
    ...(context.seccompProfile ? profileErrors(context.seccompProfile, "seccomp", at.child("seccompProfile")) : []),
    ...(context.appArmorProfile ? profileErrors(context.appArmorProfile, "AppArmor", at.child("appArmorProfile")) : []),
  ];
}

/** Returns the errors in a container's security context. @see pkg/apis/core/validation ValidateSecurityContext */
export function containerSecurityErrors(context: SecurityContext, at: FieldPath): FieldError[] {
  return [
    ...idErrors(context.runAsUser, at.child("runAsUser")),
    ...idErrors(context.runAsGroup, at.child("runAsGroup")),
    ...(context.privileged && context.allowPrivilegeEscalation === false
      ? [fieldError.invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")]
      : []),
    ...(context.allowPrivilegeEscalation === false && context.capabilities?.add?.includes("CAP_SYS_ADMIN")
      ? [
          fieldError.invalid(
            at,
            context,
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
          ),
        ]
      : []),
    ...profilesErrors(context, at),
  ];
}

const changePolicies = ["Always", "OnRootMismatch"];

/**
 * Returns the errors in a pod's security context, except those in its sysctls.
 *
 * @see pkg/apis/core/validation validatePodSpecSecurityContext
 */
export function podSecurityErrors(spec: PodSpec, at: FieldPath): FieldError[] {
  const context: SecurityContext = spec.securityContext ?? {};
  const { fsGroupChangePolicy: policy } = context;
  return [
    ...idErrors(context.fsGroup, at.child("fsGroup")),
    ...idErrors(context.runAsUser, at.child("runAsUser")),
    ...idErrors(context.runAsGroup, at.child("runAsGroup")),
    ...(context.supplementalGroups ?? []).flatMap((id, i) => idErrors(id, at.child("supplementalGroups").index(i))),
    ...(policy === undefined || changePolicies.includes(policy)
      ? []
      : [fieldError.notSupported(at.child("fsGroupChangePolicy"), policy, changePolicies)]),
    ...profilesErrors(context, at),
  ];
}
