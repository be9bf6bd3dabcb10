import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isPathSegmentName,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, humanDuration, nameColumn } from "@kubewright/apiserver/registry";
import { parseCertificationRequest } from "@kubewright/certificates";
import { rfc3339 } from "@kubewright/clock";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import {
  decisions,
  type RequestCondition,
  type RequestPart,
  requestUpdateErrors,
} from "./request-update-validation.ts";
import { signerNameErrors } from "./signer-name.ts";

interface CertificateSigningRequest extends KubeObject {
  spec?: {
    request?: string;
    signerName?: string;
    expirationSeconds?: number;
    usages?: string[];
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status?: { conditions?: RequestCondition[]; certificate?: string };
}

const at = fieldPath("spec");
const shortestExpiration = 600;
const knownUsages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** Returns the errors in a PEM certification request. @see pkg/apis/certificates ParseCSR */
function requestErrors(request: string | undefined, at: FieldPath): FieldError[] {
  try {
    parseCertificationRequest(Buffer.from(request ?? "", "base64").toString("latin1"));
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isOurs = message.startsWith("PEM ") || message.startsWith("asn1: ");
    return [fieldError.invalid(at, request ?? null, isOurs ? message : "asn1: structure error: invalid public key")];
  }
}

function validate({ metadata, spec = {} }: CertificateSigningRequest): FieldError[] {
  const { request, signerName = "", usages = [], expirationSeconds } = spec;
  const seen = new Set<string>();
  return [
    ...messages(metadata.name, isPathSegmentName(metadata.name), fieldPath("metadata", "name")),
    ...requestErrors(request, at.child("request")),
    ...(usages.length === 0 ? [fieldError.required(at.child("usages"))] : []),
    ...usages.flatMap((usage, i) =>
      knownUsages.includes(usage) ? [] : [fieldError.notSupported(at.child("usages").index(i), usage, knownUsages)],
    ),
    ...usages.flatMap((usage, i) => {
      if (seen.has(usage)) return [fieldError.duplicate(at.child("usages").index(i), usage)];
      seen.add(usage);
      return [];
    }),
    ...signerErrors(signerName),
    ...(expirationSeconds !== undefined && expirationSeconds < shortestExpiration
      ? [
          fieldError.invalid(
            at.child("expirationSeconds"),
            expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
  ];
}

/** As in upstream, the name that requests of older API versions have is refused. */
const signerErrors = (signer: string): FieldError[] =>
  signer === "kubernetes.io/legacy-unknown"
    ? [fieldError.invalid(at.child("signerName"), signer, "the legacy signerName is not allowed via this API version")]
    : signerNameErrors(signer, at.child("signerName"));

function conditionCell({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean => (status?.conditions ?? []).some((condition) => condition.type === type);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

/** Sets missing times of conditions to the current time. @see pkg/registry/certificates/certificates populateConditionTimestamps */
function stampConditions({ status }: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  for (const condition of status?.conditions ?? []) {
    const before = old.status?.conditions?.find(
      (each) => each.type === condition.type && each.status === condition.status,
    );
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}

/**
 * Restores the conditions `Approved` and `Denied` in a write to `/status`, because signers do not decide about requests.
 *
 * @see preserveConditionInstances
 */
function keepDecisions({ status }: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of decisions) {
    const before = (old.status?.conditions ?? []).filter((condition) => condition.type === type);
    const conditions = status?.conditions ?? [];
    const places = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []));
    if (places.length !== before.length) continue; // validation rejects this
    for (const [n, place] of places.entries()) conditions[place] = structuredClone(before[n]) as RequestCondition;
  }
}

const changeErrors =
  (part: RequestPart) =>
  (next: CertificateSigningRequest, old: Readonly<CertificateSigningRequest>): FieldError[] =>
    requestUpdateErrors(next.status ?? {}, old.status ?? {}, part);

/** Strategy for CertificateSigningRequests. @see pkg/registry/certificates/certificates strategy.go */
export const certificateSigningRequestStrategy = defineStrategy<CertificateSigningRequest>({
  nameRule: "pathSegment",
  resetFields: ["spec"],
  applyDefaults(request) {
    request.spec ??= {};
  },
  prepareForCreate(request, { user }) {
    request.status = {};
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec ?? {};
    request.spec = {
      ...spec,
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: [...user.groups] } : {}),
      ...(user.extra && Object.keys(user.extra).length > 0
        ? { extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])) }
        : {}),
    };
  },
  prepareForUpdate(request, old) {
    // A request never changes after its creation.
    if (old.spec) request.spec = structuredClone(old.spec) as NonNullable<CertificateSigningRequest["spec"]>;
  },
  prepareForPartUpdate: (request, old, { nowMs }) => stampConditions(request, old, rfc3339(nowMs)),
  prepareForStatusUpdate(request, old, { nowMs }) {
    keepDecisions(request, old);
    stampConditions(request, old, rfc3339(nowMs));
  },
  validate,
  validateStatusUpdate: changeErrors("status"),
  validatePartUpdate: changeErrors("approval"),
  columns: [
    nameColumn,
    ageColumn,
    column("SignerName", ({ spec }) => spec?.signerName || "<none>"),
    column("Requestor", ({ spec }) => spec?.username ?? ""),
    column("RequestedDuration", ({ spec }) =>
      spec?.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1_000),
    ),
    column("Condition", conditionCell),
  ],
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
});
