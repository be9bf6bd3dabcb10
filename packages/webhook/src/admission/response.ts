import {
  createJsonPatch,
  isRecord,
  type JsonPatchOperation,
  jsonEqual,
  ownMember,
  parseJson,
  type Status,
  stringifyJson,
} from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";

/** A handler's response. @see controller-runtime pkg/webhook/admission Response */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Code, reason and message of the response. Default: code 200. */
  readonly result?: Partial<Status> | undefined;
  /** Changes to the object; from mutating webhooks only. */
  readonly patches?: readonly JsonPatchOperation[] | undefined;
  /** Texts shown to the client. */
  readonly warnings?: readonly string[] | undefined;
  /** Entries for the API server's audit log. */
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

/** Returns a response that allows the request (code 200) or denies it (code 403, reason Forbidden). */
export function validationResponse(isAllowed: boolean, message = ""): AdmissionResponse {
  const text = message === "" ? {} : { message };
  return {
    allowed: isAllowed,
    result: isAllowed ? { ...text, code: 200 } : { ...text, reason: "Forbidden", code: 403 },
  };
}

/** Returns a response that allows the request, with code 200. @see controller-runtime pkg/webhook/admission Allowed */
export const allowed = (message?: string): AdmissionResponse => validationResponse(true, message);

/**
 * Returns a response that denies the request with code 403 and reason `Forbidden`. The client sees the message.
 *
 * @see controller-runtime pkg/webhook/admission Denied
 */
export const denied = (message?: string): AdmissionResponse => validationResponse(false, message);

/** Returns a response that denies the request with this code because of an error. */
export const errored = (code: number, error: unknown): AdmissionResponse => ({
  allowed: false,
  result: { message: errorText(error), code },
});

/** Returns a response that allows the request with these changes. */
export const patched = (message: string, ...patches: readonly JsonPatchOperation[]): AdmissionResponse => ({
  ...allowed(message),
  patches,
});

/**
 * Returns a response that allows the request and patches `original` into `current`. Both are JSON text or values such
 * as `request.object`. Equal parts are not patched, so numbers keep all their digits.
 *
 * @throws {SyntaxError} if a string is not valid JSON
 */
export function patchResponseFromRaw(original: unknown, current: unknown): AdmissionResponse {
  const patches = patchBetween(rawValue(original), rawValue(current));
  return patches.length === 0 ? { allowed: true } : { allowed: true, patches };
}

const rawValue = (raw: unknown): unknown => (typeof raw === "string" ? parseJson(raw) : raw);

/**
 * Maximum steps of a patch. Longer patches replace whole members instead, because the API server walks through the object for each step.
 */
const maxSteps = 10_000;

function patchBetween(original: unknown, current: unknown): readonly JsonPatchOperation[] {
  const steps = createJsonPatch(original, current);
  if (steps.length <= maxSteps || !isRecord(original) || !isRecord(current)) return steps;
  return Object.keys({ ...original, ...current }).flatMap((name): JsonPatchOperation[] => {
    const [from, to] = [ownMember(original, name), ownMember(current, name)];
    const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (jsonEqual(from, to)) return [];
    if (to === undefined) return [{ op: "remove", path }];
    return [{ op: from === undefined ? "add" : "replace", path, value: to }];
  });
}

/** Returns the same response with these warnings appended. */
export const withWarnings = (response: AdmissionResponse, ...warnings: readonly string[]): AdmissionResponse =>
  warnings.length === 0 ? response : { ...response, warnings: [...(response.warnings ?? []), ...warnings] };

/** Completes a response for sending: adds the request's UID and a code, and combines all changes into one patch. */
export function completed(response: AdmissionResponse, uid: string): Readonly<Record<string, unknown>> {
  const { allowed: isAllowed, result, patches = [], warnings = [], auditAnnotations } = response;
  return {
    uid,
    allowed: isAllowed,
    status: { metadata: {}, ...result, code: result?.code || 200 },
    ...(patches.length > 0
      ? { patch: Buffer.from(stringifyJson(patches)).toString("base64"), patchType: "JSONPatch" }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(auditAnnotations ? { auditAnnotations } : {}),
  };
}
