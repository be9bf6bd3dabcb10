import type { ObjectEvent } from "../event/object-event.ts";

/** Returns the name of a handler or predicate, for log lines. */
export const nameOfFunction = (what: { readonly name: string }): string => what.name || "(anonymous)";

/**
 * Returns kind and key of an event's object, for log lines and causes. Custom sources may deliver anything, so nothing is assumed: `key`
 * is absent if there is no name.
 */
export function namesOf({ object }: ObjectEvent): {
  readonly kind: string | undefined;
  readonly key: string | undefined;
} {
  const said: { readonly kind?: unknown; readonly metadata?: unknown } | null | undefined = object;
  const metadata = isRecord(said?.metadata) ? said.metadata : {};
  const name = textOf(metadata.name);
  const namespace = textOf(metadata.namespace);
  return { kind: textOf(said?.kind), key: name && namespace ? `${namespace}/${name}` : name };
}

export function resourceVersionOf(object: ObjectEvent["object"] | undefined): string | undefined {
  return isRecord(object?.metadata) ? textOf(object.metadata.resourceVersion) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
