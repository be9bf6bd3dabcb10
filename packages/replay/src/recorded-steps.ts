import { apiVersionOf, isMetadataOnly, isRecord, joinKey, type Kind, type Status } from "@kubewright/apimachinery";
import { listQuery, type ReadCall, type WriteCall } from "@kubewright/client";
import { errorText } from "@kubewright/log";
import type { ErrorRecord, StepRecord } from "./format.ts";

/** The part of a step that identifies the call. */
export type StepCall = Pick<StepRecord, "verb" | "kind" | "isPartial" | "subResource" | "key" | "options">;

/** Maximum length of the text of an error. */
const longestError = 10_000;

export function stepOfRead(call: ReadCall): StepCall {
  const { verb, kind, subResource } = call;
  const about = { verb, ...recordedKind(kind), ...(subResource === undefined ? {} : { subResource }) };
  if (call.verb === "list") {
    const { namespace } = call.options;
    return { ...about, ...optionsOf({ namespace, ...listQuery(call.options) }) };
  }
  const { key } = call;
  const { resourceVersion } = call.options;
  const query = call.subResource === undefined ? undefined : call.options.query;
  const keyText = typeof key === "string" ? key : joinKey(key.namespace, key.name);
  return { ...about, key: keyText, ...optionsOf({ resourceVersion, query }) };
}

export function stepOfWrite(call: WriteCall): StepCall {
  const { verb, kind, subResource } = call;
  const about = { verb, ...recordedKind(kind), ...(subResource === undefined ? {} : { subResource }) };
  const { signal: _signal, ...options } = call.options;
  if (call.verb === "deleteCollection") {
    const { labels: _labels, fields: _fields, ...others } = call.options;
    return { ...about, ...optionsOf({ ...others, signal: undefined, ...listQuery(call.options) }) };
  }
  const { namespace, name } = call.object.metadata;
  const key = namespace ? `${namespace}/${name ?? ""}` : (name ?? "");
  const lock =
    call.verb === "patch" && call.options.optimisticLock
      ? { resourceVersion: call.object.metadata.resourceVersion }
      : undefined;
  return { ...about, key, ...optionsOf({ ...options, ...lock }) };
}

/** Returns what a write sends, or undefined for a deletion. */
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

function recordedKind(kind: Kind): Pick<StepRecord, "kind" | "isPartial"> {
  const text = `${apiVersionOf(kind)}/${kind.kind}`;
  return isMetadataOnly(kind) ? { kind: text, isPartial: true } : { kind: text };
}

/** Returns the options that are set, if any. */
function optionsOf(options: object): { readonly options?: object } {
  let set: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue;
    set ??= {};
    set[name] = value;
  }
  return set ? { options: set } : {};
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
