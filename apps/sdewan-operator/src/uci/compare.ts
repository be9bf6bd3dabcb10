import { createHash } from "node:crypto";
import type { CnfKind } from "./cnf-kind.ts";
import type { UciObject, UciValue } from "./uci-object.ts";

type Traits = Pick<CnfKind, "garbled" | "omitted" | "listKey">;

/**
 * Reports whether the CNF already has the desired object. Normalizes both objects first: the CNF trims text, omits absent fields, adds its
 * own fields, reorders connections, and drops or obfuscates some fields.
 *
 * @param sentHash {@link garbledHash} of the most recently sent object, if known
 */
export function sameOnCnf(kind: Traits, desired: UciObject, stored: UciObject, sentHash: string | undefined): boolean {
  const returned = Object.entries(desired).filter(([field]) => !kind.garbled.includes(field));
  if (!returned.every(([field, value]) => sameValue(kind, field, value, stored[field]))) return false;
  const asSent = kind.garbled.every((field) => sameValue(kind, field, desired[field], stored[field]));
  return asSent || (sentHash !== undefined && sentHash === garbledHash(kind, desired));
}

/**
 * Returns a hash of the fields that the CNF does not return as they were sent, or undefined if the object has no such
 * fields.
 */
export function garbledHash(kind: Pick<CnfKind, "garbled">, desired: UciObject): string | undefined {
  const values = kind.garbled.map((field) => plain(desired[field]) ?? "");
  if (values.every((value) => value === "")) return undefined;
  return `sha256:${createHash("sha256").update(JSON.stringify(values)).digest("hex")}`;
}

function sameValue(kind: Traits, field: string, desired: UciValue | undefined, stored: UciValue | undefined): boolean {
  if (kind.omitted.includes(field) && stored === undefined) return true;
  const want = plain(desired);
  const have = plain(stored);
  if (!Array.isArray(want) || !Array.isArray(have)) return want === have;
  if (want.length !== have.length) return false;
  const others = inOrder(have, kind.listKey);
  return inOrder(want, kind.listKey).every((element, index) => sameElement(kind, element, others[index]));
}

type Element = string | UciObject;

function sameElement(kind: Traits, desired: Element, stored: Element | undefined): boolean {
  if (typeof desired === "string" || typeof stored !== "object" || stored === null) return desired === stored;
  return Object.entries(desired).every(([field, value]) => sameValue(kind, field, value, stored[field]));
}

/** Normalizes a value: values that mean the same as an absent field become `undefined`, and text is trimmed. */
function plain(value: UciValue | undefined): string | true | readonly Element[] | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (value === true) return true;
  if (typeof value === "number") return String(value); // a CNF may return any type
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function inOrder(elements: readonly Element[], key: string | undefined): readonly Element[] {
  if (key === undefined) return elements;
  const keyed = (element: Element | null): string => {
    const value = typeof element === "object" ? element?.[key] : element;
    return typeof value === "string" ? value : "";
  };
  return elements.every((element) => typeof element === "string")
    ? elements
    : elements.toSorted((a, b) => (keyed(a) < keyed(b) ? -1 : 1));
}
