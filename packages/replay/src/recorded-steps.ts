import { apiVersionOf, isMetadataOnly, isRecord, joinKey, type Kind, type Status } from "@kubewright/apimachinery";
import { listQuery, type ReadCall, type WriteCall } from "@kubewright/client";
import { errorText } from "@kubewright/log";
import type { ErrorRecord, StepRecord } from "./format.ts";

/** The part of a step that identifies the call. */
export type StepCall = Pick<StepRecord, "verb" | "kind" | "isPartial" | "subResource" | "key" | "options">;

/** Maximum length of the text of an error. */
const longestError = 10_000;

/** Returns the step for a call. */
export function stepOf(call: ReadCall | WriteCall): StepCall {
  const { verb, kind, subResource } = call;
  return { verb, ...recordedKind(kind), subResource, key: keyOfCall(call), options: optionsOfCall(call) };
}

export function recordedKind(kind: Kind): Pick<StepRecord, "kind" | "isPartial"> {
  const text = `${apiVersionOf(kind)}/${kind.kind}`;
  return isMetadataOnly(kind) ? { kind: text, isPartial: true } : { kind: text };
}

/**
 * Returns the key of the object that a call targets. The name in the key is empty if the server generates it. Returns
 * undefined if the call applies to a selection of objects.
 */
export function keyOfCall(call: ReadCall | WriteCall): string | undefined {
  if (call.verb === "list" || call.verb === "deleteCollection") return undefined;
  if ("key" in call) return typeof call.key === "string" ? call.key : joinKey(call.key.namespace, call.key.name);
  return joinKey(call.object.metadata.namespace, call.object.metadata.name ?? "");
}

/** Returns the options that are set for a call, with selectors as text, or undefined if there are none. */
export function optionsOfCall(call: ReadCall | WriteCall): object | undefined {
  if (call.verb === "list") return withoutUnset({ namespace: call.options.namespace, ...listQuery(call.options) });
  if (call.verb === "deleteCollection") {
    const { labels: _labels, fields: _fields, ...others } = call.options;
    return withoutUnset({ ...others, ...listQuery(call.options) });
  }
  if ("key" in call) {
    const { resourceVersion } = call.options;
    const query = call.subResource === undefined ? undefined : call.options.query;
    return resourceVersion === undefined && query === undefined ? undefined : withoutUnset({ resourceVersion, query });
  }
  const isLocked = call.verb === "patch" && call.options.optimisticLock;
  return withoutUnset(call.options, isLocked ? { resourceVersion: call.object.metadata.resourceVersion } : undefined);
}

/** Returns the options that are set, if any. */
function withoutUnset(options: object, more?: object): object | undefined {
  let set: Record<string, unknown> | undefined = more && { ...more };
  for (const name in options) {
    const value: unknown = Reflect.get(options, name);
    if (name === "signal" || value === undefined || value === false) continue;
    set ??= {};
    set[name] = value;
  }
  return set;
}

/** Returns the body sent by a write, or undefined for a deletion. */
export function bodyOf(call: WriteCall): object | undefined {
  switch (call.verb) {
    case "patch":
      return call.patch;
    case "delete":
    case "deleteCollection":
      return undefined;
    default:
      return call.body ?? call.object;
  }
}

export function errorRecord(error: unknown): ErrorRecord {
  const message = errorText(error, longestError);
  if (!(error instanceof Error)) return { name: "Error", message };
  const name = String(error.name).slice(0, 200);
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  // Not an instance of StatusError if the program has its own copy of the package.
  if (name === "StatusError" && isRecord(status)) return { name, message, status: status as object as Status };
  return typeof code === "string" || typeof code === "number" ? { name, message, code } : { name, message };
}
