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

/** What a handler answers. @see controller-runtime pkg/webhook/admission Response */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Code, reason and message. Default: code 200. */
  readonly result?: Partial<Status> | undefined;
  /** What to change of the object; only from mutating webhooks. */
  readonly patches?: readonly JsonPatchOperation[] | undefined;
  /** Shown to whoever made the request. */
  readonly warnings?: readonly string[] | undefined;
  /** Written to the server's audit log. */
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

/** Allowed with code 200, or denied with code 403 and reason Forbidden. */
export function validationResponse(isAllowed: boolean, message = ""): AdmissionResponse {
  const text = message === "" ? {} : { message };
  return {
    allowed: isAllowed,
    result: isAllowed ? { ...text, code: 200 } : { ...text, reason: "Forbidden", code: 403 },
  };
}

/** Lets the request pass, with code 200. @see controller-runtime pkg/webhook/admission Allowed */
export const allowed = (message?: string): AdmissionResponse => validationResponse(true, message);

/**
 * Refuses the request, with code 403 and reason `Forbidden`; the message is shown to whoever made it.
 *
 * @see controller-runtime pkg/webhook/admission Denied
 */
export const denied = (message?: string): AdmissionResponse => validationResponse(false, message);

/** Not allowed, because something went wrong. */
export const errored = (code: number, error: unknown): AdmissionResponse => ({
  allowed: false,
  result: { message: errorText(error), code },
});

/** Allowed after these changes. */
export const patched = (message: string, ...patches: readonly JsonPatchOperation[]): AdmissionResponse => ({
  ...allowed(message),
  patches,
});

/**
 * Allowed with the changes that lead from one object to another; each is JSON text, or a value such as `request.object`. What both have
 * alike stays untouched, so that no digit of a number is lost.
 *
 * @throws {SyntaxError} if a text is no JSON
 */
export function patchResponseFromRaw(original: unknown, current: unknown): AdmissionResponse {
  const patches = patchBetween(rawValue(original), rawValue(current));
  return patches.length === 0 ? { allowed: true } : { allowed: true, patches };
}

const rawValue = (raw: unknown): unknown => (typeof raw === "string" ? parseJson(raw) : raw);

/** A patch of more steps replaces whole members instead: who applies it walks through the object with each. */
const mostSteps = 10_000;

function patchBetween(original: unknown, current: unknown): readonly JsonPatchOperation[] {
  const steps = createJsonPatch(original, current);
  if (steps.length <= mostSteps || !isRecord(original) || !isRecord(current)) return steps;
  return Object.keys({ ...original, ...current }).flatMap((name): JsonPatchOperation[] => {
    const [from, to] = [ownMember(original, name), ownMember(current, name)];
    const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (jsonEqual(from, to)) return [];
    if (to === undefined) return [{ op: "remove", path }];
    return [{ op: from === undefined ? "add" : "replace", path, value: to }];
  });
}

/** The same answer with more warnings, after those it has. */
export const withWarnings = (response: AdmissionResponse, ...warnings: readonly string[]): AdmissionResponse =>
  warnings.length === 0 ? response : { ...response, warnings: [...(response.warnings ?? []), ...warnings] };

/** As it is sent: with the request's UID, a code, and all steps in one patch. */
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
