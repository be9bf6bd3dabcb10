import { isNotFound, type Kind } from "@kubewright/apimachinery";
import type { DeleteCollectionOptions, NamedObject, WriteCall, WriteInterceptor } from "@kubewright/client";
import type { OwnWrites } from "./own-writes.ts";
import { keyOfTarget } from "./target-key.ts";

/** Returns an interceptor that records the writes for one request. Dry runs change nothing, and are not recorded. */
export function notingWrites<R>(ownWrites: OwnWrites<R>, request: R): WriteInterceptor {
  return async (call, next) => {
    if (call.options.dryRun) return next(call);
    if (call.verb === "deleteCollection") return notingDeletions(ownWrites, request, call, () => next(call));
    if (call.verb === "delete") {
      const { uid } = call.options.preconditions ?? {};
      return notingDeletion(ownWrites, request, { ...call, uid }, () => next(call));
    }
    if (call.verb === "create" && call.subResource === "eviction")
      return notingDeletion(ownWrites, request, call, () => next(call));
    const answer = await next(call);
    const written = writtenObject(call, answer);
    if (written) ownWrites.note(request, call.kind, written);
    return answer;
  };
}

/** A deletion that finds no object is also recorded: it shows that the cache is behind. */
async function notingDeletion<R, Answer>(
  ownWrites: OwnWrites<R>,
  request: R,
  { kind, object, uid }: { readonly kind: Kind; readonly object: NamedObject; readonly uid?: string | undefined },
  deleting: () => Promise<Answer>,
): Promise<Answer> {
  const key = keyOfTarget(object);
  const gone = ownWrites.expectDeletion(request, kind, key, uid);
  const note = (): void => ownWrites.noteDeletion(request, kind, key, gone);
  try {
    const answer = await deleting();
    note();
    return answer;
  } catch (error) {
    if (isNotFound(error)) note();
    throw error;
  }
}

async function notingDeletions<R, Answer>(
  ownWrites: OwnWrites<R>,
  request: R,
  { kind, options }: { readonly kind: Kind; readonly options: DeleteCollectionOptions },
  deleting: () => Promise<Answer>,
): Promise<Answer> {
  const expected = ownWrites.expectDeletions(kind, options);
  const answer = await deleting();
  for (const [key, gone] of expected) ownWrites.noteDeletion(request, kind, key, gone);
  return answer;
}

/**
 * Returns the object in the version that a write returned. For a subresource, the response may be the object, or another body with its
 * version, or neither.
 */
function writtenObject({ subResource, object }: WriteCall, answer: unknown): NamedObject | undefined {
  if (!hasMetadata(answer)) return undefined;
  if (subResource === undefined || subResource === "status") return answer;
  if (!answer.metadata.resourceVersion) return undefined;
  return { metadata: { ...answer.metadata, name: object.metadata.name, namespace: object?.metadata.namespace } };
}

const hasMetadata = (answer: unknown): answer is NamedObject =>
  isObject(answer) && "metadata" in answer && isObject(answer.metadata);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
