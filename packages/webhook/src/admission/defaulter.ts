import { type DeepMutable, isStatusError, type Kind, type KubeObject, mutableCopy } from "@kubewright/apimachinery";
import { isPanic } from "@kubewright/log";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { AdmissionContext, AdmissionHandler } from "./admission-context.ts";
import { DecodeError, decode } from "./decode.ts";
import { type AdmissionResponse, allowed, errored, patchResponseFromRaw } from "./response.ts";

/** Sets defaults in a draft of the received object. */
export type Defaulter<T extends KubeObject> = (draft: T, context: AdmissionContext) => void | Promise<void>;

/**
 * Returns a handler whose response contains only the defaulter's changes, so that unknown fields are preserved.
 * Deletions are allowed, and the defaulter is not called for them.
 *
 * @see controller-runtime pkg/webhook/admission WithDefaulter
 */
export function defaulting<T extends KubeObject>(kind: Kind<T>, defaulter: Defaulter<T>): AdmissionHandler {
  return async (context) => {
    const { request } = context;
    if (request.operation === "DELETE") return allowed();
    const draft = draftOf(request, kind);
    if (!("draft" in draft)) return draft;
    try {
      await defaulter(draft.draft as T, context);
    } catch (error) {
      throw isPanic(error) ? (refusalBySchema(kind, request) ?? error) : error;
    }
    return patchResponseFromRaw(request.object, draft.draft);
  };
}

function draftOf<T extends KubeObject>(
  request: AdmissionRequest,
  kind: Kind<T>,
): { readonly draft: DeepMutable<unknown> } | AdmissionResponse {
  try {
    return { draft: mutableCopy(decode(request, kind)) };
  } catch (error) {
    if (error instanceof DecodeError) return errored(400, error);
    throw error;
  }
}

/**
 * Returns the schema's error for the request's object, or `undefined` if the schema accepts the object. Defaulters run before schema
 * validation. If a defaulter fails on an object that the schema rejects, the client receives the schema's error instead of the defaulter's.
 */
function refusalBySchema(kind: Kind & { parse?(value: unknown): unknown }, request: AdmissionRequest): unknown {
  try {
    kind.parse?.(request.object);
    return undefined;
  } catch (error) {
    return isStatusError(error) ? error : undefined;
  }
}
