/** The object of an event, or a part of its reference; empty fields are ignored. */
export interface Regarding {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ["events.k8s.io/v1", "regarding"],
  ["events.k8s.io/v1beta1", "regarding"],
  ["v1", "involvedObject"],
]);

/**
 * Returns a field selector for the events about an object, for a list or watch of events in that version:
 * `client.list(Event, { fields: eventFieldSelector("v1", { kind: "Pod", name: "web-0" }) })`.
 *
 * @throws {Error} if there are no events in that version
 * @see client-go tools/events GetFieldSelector
 */
export function eventFieldSelector(apiVersion: string, regarding: Regarding): Readonly<Record<string, string>> {
  const prefix = prefixes.get(apiVersion);
  if (!prefix) throw new Error(`cannot select events: unknown version ${apiVersion}`);
  const { name, kind, apiVersion: of, uid } = regarding;
  const parts = Object.entries({ name, kind, apiVersion: of, uid });
  return Object.fromEntries(parts.flatMap(([part, value]) => (value ? [[`${prefix}.${part}`, value]] : [])));
}
