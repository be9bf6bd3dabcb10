import { type DeepReadonly, gvkKey, type Kind, type KubeObject } from "@kubewright/apimachinery";
import { type AdmissionRequest, type AdmissionResponse, DecodeError, decodeRaw, errored } from "@kubewright/webhook";

/** The object in an admission request. */
export interface Reviewed<K extends Kind> {
  readonly kind: K;
  /**
   * Returns the new object, if any, and the old one, if any.
   *
   * @throws {DecodeError} if the object does not match its kind
   */
  readonly objects: () => readonly [
    after: DeepReadonly<KubeObject> | undefined,
    before: DeepReadonly<KubeObject> | undefined,
  ];
}

/**
 * Handles an admission request about an object of the given kinds.
 *
 * @param undecodable returns the response if an object cannot be decoded
 */
export async function reviewed<K extends Kind>(
  request: AdmissionRequest,
  kinds: readonly K[],
  decide: (about: Reviewed<K>) => AdmissionResponse | Promise<AdmissionResponse>,
  undecodable: (error: DecodeError) => AdmissionResponse,
): Promise<AdmissionResponse> {
  const kind = kinds.find((each) => gvkKey(each) === gvkKey(request.kind));
  if (!kind) return errored(400, `Kind is not supported: ${gvkKey(request.kind)}`);
  const { operation, object, oldObject } = request;
  const objects: Reviewed<K>["objects"] = () => [
    operation === "DELETE" ? undefined : decodeRaw(object, kind),
    operation === "CREATE" ? undefined : decodeRaw(oldObject, kind),
  ];
  try {
    return await decide({ kind, objects });
  } catch (error) {
    if (error instanceof DecodeError) return undecodable(error);
    throw error;
  }
}
