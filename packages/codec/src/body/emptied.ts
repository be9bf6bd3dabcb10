import { isRecord, mutableCopy } from "@kubewright/apimachinery";

/**
 * Empty lists and maps that a client sent and that are not printed: Go tells them from absent ones, and shows them in errors. They are
 * known by the object that they were taken out of, so a copy of it has none.
 */
const emptied = new WeakMap<object, Map<string, unknown>>();

/** Objects in which something was sent empty. */
const roots = new WeakSet<object>();

/** Notes that something in an object was sent empty. */
export const markEmptied = (object: object): void => void roots.add(object);

/** Says of one object what is known of another. */
export const keepEmptied = (from: object, to: object): void => void (roots.has(from) && roots.add(to));

/** A deep copy that still knows what was sent empty. */
export function copyAsSent<T extends object>(object: T): T {
  return roots.has(object) ? (copied(object) as T) : (mutableCopy(object) as T);
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isRecord(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]));
  const known = emptied.get(value);
  if (known) emptied.set(copy, known);
  keepEmptied(value, copy);
  return copy;
}

/** Notes that a member was there, with nothing in it. */
export function rememberEmpty(object: object, member: string, value: unknown): void {
  const known = emptied.get(object);
  if (known) known.set(member, value);
  else emptied.set(object, new Map([[member, value]]));
}

/** A copy with other members, which still knows what was sent empty. */
export function withMembers<T extends object>(object: T, members: Readonly<Partial<T>>): T {
  const copy = { ...object, ...members };
  const known = emptied.get(object);
  if (known) emptied.set(copy, known);
  return copy;
}

/** A member as it was sent: `[]` or `{}` where it was so and was taken out. */
export const asSent = (object: object, member: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[member] ?? emptied.get(object)?.get(member);
