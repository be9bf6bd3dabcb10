import {
  apiVersionOf,
  type DeepReadonly,
  gvkKey,
  isErrorWithCode,
  isRecord,
  type Kind,
  type KubeObject,
  KubewrightError,
  ownMember,
  parseJson,
  stringifyJson,
} from "@kubewright/apimachinery";
import type { AdmissionRequest } from "../review/admission-review.ts";

/** Thrown if an object is missing or not of the expected kind. */
export class DecodeError extends KubewrightError {
  override readonly name = "DecodeError";
  readonly code = "ERR_WEBHOOK_DECODE";
}

/** Reports whether an error is a {@link DecodeError}. */
export const isDecodeError = isErrorWithCode<DecodeError>("ERR_WEBHOOK_DECODE");

/**
 * Returns the new object of a request.
 *
 * @throws {DecodeError} if the request has no object, or the object is of a different kind
 */
export function decode<T extends KubeObject>(request: AdmissionRequest, kind: Kind<T>): DeepReadonly<T> {
  return decodeRaw(request.object, kind);
}

/**
 * Decodes an object, such as `request.oldObject`, or JSON text. An object without `apiVersion` and `kind` is assumed to
 * be of the expected kind.
 *
 * @throws {DecodeError} if there is no object, or it is of a different kind
 */
export function decodeRaw<T extends KubeObject>(raw: unknown, kind: Kind<T>): DeepReadonly<T> {
  const object = typeof raw === "string" && raw !== "" ? parsed(raw) : raw;
  if (object === undefined || object === null || object === "") throw new DecodeError("there is no content to decode");
  if (!isRecord(object)) throw new DecodeError(`expected an object of ${gvkKey(kind)}, got ${shown(object)}`);
  const wanted = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const [apiVersion = "", ownKind = ""] = [ownMember(object, "apiVersion"), ownMember(object, "kind")];
  const differs = (has: unknown, wants: string): boolean => has !== "" && wants !== "" && has !== wants;
  if (differs(apiVersion, wanted.apiVersion) || differs(ownKind, wanted.kind))
    throw new DecodeError(`unable to decode ${shown(apiVersion)}, Kind=${shown(ownKind)} into ${gvkKey(kind)}`);
  const metadata = ownMember(object, "metadata") ?? {};
  if (!isRecord(metadata)) throw new DecodeError("metadata: expected an object");
  const isWhole = apiVersion !== "" && ownKind !== "" && object.metadata === metadata;
  const whole: unknown = isWhole ? object : { ...object, ...missing(object, wanted), metadata };
  return whole as DeepReadonly<T>; // the server has validated the object as one of this kind
}

/** Returns a text unchanged, and any other value as JSON. */
const shown = (value: unknown): string => (typeof value === "string" ? value : stringifyJson(value));

const missing = (object: Readonly<Record<string, unknown>>, wanted: { apiVersion: string; kind: string }) => ({
  ...(object.apiVersion ? {} : { apiVersion: wanted.apiVersion }),
  ...(object.kind ? {} : { kind: wanted.kind }),
});

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new DecodeError(`unable to decode: ${String(cause)}`, { cause });
  }
}
