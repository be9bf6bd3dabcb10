import { X509Certificate } from "node:crypto";
import {
  type FieldError,
  fieldError,
  fieldPath,
  jsonEqual,
  type KubeObject,
  omittedValue,
} from "@kubewright/apimachinery";
import { nameColumn } from "@kubewright/apiserver/registry";
import { isSamePublicKey, type PemBlock, pemBlocks } from "@kubewright/certificates";
import { type StatusCondition, statusConditionErrors } from "../checks.ts";
import { column, labelsCell } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";
import { type PodCertificateSpec, podCertificateErrors, requestedKey } from "./pod-certificate-validation.ts";

/** Status of a PodCertificateRequest. */
interface PodCertificateStatus {
  readonly conditions?: readonly StatusCondition[];
  readonly certificateChain?: string;
  readonly notBefore?: string;
  readonly beginRefreshAt?: string;
  readonly notAfter?: string;
}

const ends: readonly string[] = ["Denied", "Failed", "Issued"];
const minute = 60_000;
const hour = 60 * minute;
const maxChainBytes = 100 * 1_024;
const at = fieldPath("status");
const chainPath = at.child("certificateChain");

/** Reports whether a condition ends a request, after which its status no longer changes. */
const isEnded = ({ type = "" }: StatusCondition): boolean => ends.includes(type);

/** Returns the errors in an update to the status. @see pkg/apis/certificates/validation ValidatePodCertificateRequestStatusUpdate */
function issuanceErrors(
  next: PodCertificateStatus,
  old: PodCertificateStatus,
  spec: PodCertificateSpec,
  nowMs: number,
): FieldError[] {
  const { conditions = [] } = next;
  const errors = [...endErrors(conditions), ...statusConditionErrors(conditions, at.child("conditions"))];
  if (errors.length > 0) return errors;
  if (old.conditions?.some(isEnded))
    return jsonEqual(next, old) ? [] : [changed("immutable after PodCertificateRequest is issued, denied, or failed")];
  const end = conditions.find(isEnded);
  if (end === undefined)
    return jsonEqual(next, old)
      ? []
      : [changed('status is immutable unless transitioning to "Issued", "Denied", or "Failed"')];
  if (end.type === "Issued") return certificateErrors(next, spec, nowMs);
  return jsonEqual(next, { conditions })
    ? []
    : [changed("non-condition status fields must be empty when denying or failing the PodCertificateRequest")];
}

const changed = (detail: string): FieldError => fieldError.invalid(at, omittedValue, detail);

function endErrors(conditions: readonly StatusCondition[]): FieldError[] {
  let known = 0;
  return conditions.flatMap((condition, i) => {
    const { type = "", status = "" } = condition;
    const path = at.child("conditions", `[${i}]`); // upstream prints a dot before the index here
    if (!isEnded(condition)) return [fieldError.notSupported(path.child("type"), type, ["Issued", "Denied", "Failed"])];
    known++;
    const rule = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(known > 1 ? [fieldError.invalid(path.child("type"), type, rule)] : []),
      ...(status === "True" ? [] : [fieldError.notSupported(path.child("status"), status, ["True"])]),
    ];
  });
}

/** Returns the errors in the certificate chain and the times of an issued request. Ends at the first error, as upstream does. */
function certificateErrors(status: PodCertificateStatus, spec: PodCertificateSpec, nowMs: number): FieldError[] {
  const { certificateChain: chain = "" } = status;
  if (Buffer.byteLength(chain) > maxChainBytes) return [fieldError.tooLong(chainPath, maxChainBytes)];
  const wrong = (detail: string): FieldError[] => [fieldError.invalid(chainPath, chain, detail)];
  const [first, ...others] = pemBlocks(chain);
  if (!first) return wrong("issued certificate chain must contain at least one certificate");
  if (first.type !== "CERTIFICATE")
    return wrong("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  const leaf = certificateOf(first);
  if (!leaf) return wrong("leaf certificate does not parse as valid X.509");
  const key = requestedKey(spec);
  if (!key) return [fieldError.invalid(fieldPath("spec"), omittedValue, "must contain a valid public key")];
  const errors = nameErrors(leaf);
  if (!isSamePublicKey(leaf.publicKey, key))
    return [...errors, ...wrong("leaf certificate was not issued to the requested public key")];
  errors.push(...missingTimes(status));
  if (errors.length > 0) return errors;
  const time = timeErrors(status, leaf, spec.maxExpirationSeconds ?? 0, nowMs);
  if (time.length > 0) return time;
  for (const block of others) {
    if (block.type !== "CERTIFICATE")
      return wrong("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
    if (!certificateOf(block)) return wrong("intermediate certificate does not parse as valid X.509");
  }
  return [];
}

function certificateOf({ der }: PemBlock): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined; // the caller reports it
  }
}

function nameErrors({ subjectAltName = "" }: X509Certificate): FieldError[] {
  const names = subjectAltName
    .split(", ")
    .filter((name) => name.startsWith("DNS:"))
    .map((name) => name.slice(4));
  const wrong = (name: string, detail: string): FieldError =>
    fieldError.invalid(chainPath, name, `leaf certificate${detail}`);
  return names.flatMap((name) => [
    ...(name === "" ? [wrong(name, " should not contain empty DNSName")] : []),
    ...(name.includes("..") ? [wrong(name, "'s DNSName should not contain '..'")] : []),
    ...(name.startsWith(".") || name.endsWith(".") ? [wrong(name, "'s DNSName should not start or end with '.'")] : []),
  ]);
}

function missingTimes({ notBefore, notAfter, beginRefreshAt }: PodCertificateStatus): FieldError[] {
  const consistent = "must be present and consistent with the issued certificate";
  const inRange = "must be present and in the range [notbefore+10min, notafter-10min]";
  return [
    ...(notBefore ? [] : [fieldError.required(at.child("notBefore"), consistent)]),
    ...(notAfter ? [] : [fieldError.required(at.child("notAfter"), consistent)]),
    ...(beginRefreshAt ? [] : [fieldError.required(at.child("beginRefreshAt"), inRange)]),
  ];
}

function timeErrors(
  { notBefore = "", notAfter = "", beginRefreshAt = "" }: PodCertificateStatus,
  leaf: X509Certificate,
  maxSeconds: number,
  nowMs: number,
): FieldError[] {
  const wrong = (member: string, value: string, detail: string): FieldError[] => [
    fieldError.invalid(at.child(member), value, detail),
  ];
  const [from, to, refresh] = [Date.parse(notBefore), Date.parse(notAfter), Date.parse(beginRefreshAt)];
  const [leafFrom, leafTo] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
  if (from !== leafFrom)
    return wrong("notBefore", notBefore, "must be set to the NotBefore time encoded in the leaf certificate");
  if (Math.abs(from - nowMs) >= 5 * minute)
    return wrong("notBefore", notBefore, "must be set to within 5 minutes of kube-apiserver's current time");
  if (to !== leafTo)
    return wrong("notAfter", notAfter, "must be set to the NotAfter time encoded in the leaf certificate");
  const lifetimeMs = leafTo - leafFrom;
  const shown = goDuration(lifetimeMs);
  if (lifetimeMs < hour) return [fieldError.invalid(chainPath, shown, "leaf certificate lifetime must be >= 1 hour")];
  if (lifetimeMs > maxSeconds * 1_000) {
    const rule = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
    return [fieldError.invalid(chainPath, shown, rule)];
  }
  if (refresh < from + 10 * minute)
    return wrong("beginRefreshAt", beginRefreshAt, "must be at least 10 minutes after status.notBefore");
  return refresh > to - 10 * minute
    ? wrong("beginRefreshAt", beginRefreshAt, "must be at least 10 minutes before status.notAfter")
    : [];
}

/** Formats whole seconds as Go does, for example `1h0m5s`. */
function goDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  const [hours, minutes] = [Math.trunc(seconds / 3_600), Math.trunc(seconds / 60) % 60];
  const tail = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${tail}`;
  return minutes > 0 ? `${minutes}m${tail}` : tail;
}

interface PodCertificateRequest extends KubeObject {
  spec?: PodCertificateSpec;
  status?: PodCertificateStatus;
}

/** Strategy for PodCertificateRequests. @see pkg/registry/certificates/podcertificaterequest strategy.go */
export const podCertificateRequestStrategy = defineStrategy<PodCertificateRequest>({
  allowUnconditionalUpdate: false,
  statusIgnoresMetadata: "all",
  applyDefaults({ spec }) {
    if (spec) spec.maxExpirationSeconds ??= 24 * 3_600;
  },
  validate: ({ spec }) => podCertificateErrors(spec ?? {}),
  validateUpdate: (next, old) => unchanged(next.spec ?? {}, old.spec ?? {}, fieldPath("spec")),
  validateStatusUpdate: (next, old, { nowMs }) =>
    issuanceErrors(next.status ?? {}, old.status ?? {}, old.spec ?? {}, nowMs),
  columns: [
    nameColumn,
    column("PodName", ({ spec }) => spec?.podName ?? ""),
    column("ServiceAccountName", ({ spec }) => spec?.serviceAccountName ?? ""),
    column("NodeName", ({ spec }) => spec?.nodeName ?? ""),
    column("SignerName", ({ spec }) => spec?.signerName ?? ""),
    column("State", ({ status }) => (status?.conditions ?? []).findLast(isEnded)?.type ?? "Pending"),
    column("UnverifiedUserAnnotations", ({ spec }) => labelsCell(spec?.unverifiedUserAnnotations)),
  ],
  selectableFields: {
    "spec.signerName": ({ spec }) => spec?.signerName ?? "",
    "spec.podName": ({ spec }) => spec?.podName ?? "",
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
  },
});
