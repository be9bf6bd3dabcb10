import { type FieldError, fieldError, fieldPath, jsonEqual } from "@kubewright/apimachinery";

/** Condition of a CertificateSigningRequest: `Approved`, `Denied`, `Failed`, or a signer's own type. */
export interface RequestCondition {
  type: string;
  status?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface RequestStatus {
  readonly conditions?: readonly RequestCondition[];
  readonly certificate?: string;
}

/** The subresource that is written. Only `approval` can set the decision, and only `status` can set the certificate. */
export type RequestPart = "status" | "approval";

const at = fieldPath("status");
/** Condition types set by approvers. */
export const decisions: readonly string[] = ["Approved", "Denied"];
const lasting = [...decisions, "Failed"];

/**
 * Returns the errors in an update to a CertificateSigningRequest's status.
 *
 * @see kubernetes pkg/apis/certificates/validation validateCertificateSigningRequestUpdate
 */
export function requestUpdateErrors(next: RequestStatus, old: RequestStatus, part: RequestPart): FieldError[] {
  return [
    ...conditionErrors(next, old),
    ...lasting.flatMap((type) =>
      ofType(next, type).length < ofType(old, type).length ? [mayNot(`remove a condition of type "${type}"`)] : [],
    ),
    ...(part === "approval"
      ? []
      : decisions.flatMap((type) => decisionErrors(ofType(next, type), ofType(old, type), type))),
    ...certificateErrors(next.certificate ?? "", old.certificate ?? "", part),
  ];
}

const ofType = ({ conditions = [] }: RequestStatus, type: string): readonly RequestCondition[] =>
  conditions.filter((condition) => condition.type === type);

const mayNot = (what: string): FieldError => fieldError.forbidden(at.child("conditions"), `updates may not ${what}`);

function decisionErrors(
  next: readonly RequestCondition[],
  old: readonly RequestCondition[],
  type: string,
): FieldError[] {
  if (next.length > old.length) return [mayNot(`add a condition of type "${type}"`)];
  return next.length === old.length && !jsonEqual(next, old) ? [mayNot(`modify a condition of type "${type}"\n`)] : [];
}

function certificateErrors(next: string, old: string, part: RequestPart): FieldError[] {
  if (next === old) return [];
  const path = at.child("certificate");
  if (part !== "status") return [fieldError.forbidden(path, "updates may not set certificate content")];
  return old === "" ? [] : [fieldError.forbidden(path, "updates may not modify existing certificate content")];
}

/** Returns the errors in conditions. Violations that the stored request already contains are allowed. */
function conditionErrors(next: RequestStatus, old: RequestStatus): FieldError[] {
  const path = at.child("conditions");
  const { conditions = [] } = next;
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const wasBoth = decisions.every((type) => ofType(old, type).length > 0);
  const wasRepeated = repeats(old.conditions ?? []);
  for (const [i, { type = "", status = "" }] of conditions.entries()) {
    const allowed = lasting.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (type === "" && !(old.conditions ?? []).some((condition) => !condition.type))
      errors.push(fieldError.required(path.index(i).child("type")));
    if (status === "") errors.push(fieldError.required(path.index(i).child("status")));
    else if (!allowed.includes(status))
      errors.push(fieldError.notSupported(path.index(i).child("status"), status, allowed));
    const other = decisions.find((decision) => decision !== type);
    if (decisions.includes(type) && other !== undefined && seen.has(other) && !wasBoth)
      errors.push(fieldError.invalid(path, type, "Approved and Denied conditions are mutually exclusive"));
    if (seen.has(type) && !wasRepeated) errors.push(fieldError.duplicate(path.index(i).child("type"), type));
    seen.add(type);
  }
  return errors;
}

const repeats = (conditions: readonly RequestCondition[]): boolean =>
  new Set(conditions.map(({ type }) => type)).size < conditions.length;
