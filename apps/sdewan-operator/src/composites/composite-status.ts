import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { conditionsOf, type Health } from "../reporting/conditions.ts";
import type { Composite, CompositeKind, Facts } from "./composite-kind.ts";
import { factsOf } from "./existing-children.ts";

/** Returns a status without its conditions, with `null` for fields to remove, and whether the stored status already has these values. */
function fieldsOf(
  object: Composite,
  facts: Facts,
  message: string | undefined,
): { readonly fields: Record<string, unknown>; readonly isUpToDate: boolean } {
  const { message: stored } = object.status ?? {};
  const current: Facts = { ...factsOf(object), message: stored };
  const next: Facts = { ...facts, message };
  const names = [...new Set([...Object.keys(current), ...Object.keys(next)])];
  return {
    fields: Object.fromEntries(names.map((name) => [name, filled(next[name]) ?? null])),
    isUpToDate: names.every((name) => JSON.stringify(filled(current[name])) === JSON.stringify(filled(next[name]))),
  };
}

/** Returns a value from the composite's facts, or undefined if the value is empty. */
const filled = (fact: Facts[string]): Facts[string] => (fact?.length ? fact : undefined);

/** Writes a composite's status unless it is up to date. @returns true if a write was necessary */
export async function writeStatus(
  writer: Writer,
  { kind }: CompositeKind,
  object: Composite,
  facts: Facts,
  message: string | undefined,
  health: Health,
  nowMs: number,
): Promise<boolean> {
  const { fields, isUpToDate } = fieldsOf(object, facts, message);
  const conditions = conditionsOf(object.metadata.generation, object.status, health, nowMs);
  if (isUpToDate && conditions.isUpToDate) return false;
  // The object was deleted in the meantime and needs no status.
  await writer.status.patch(kind, keyOf(object), { ...fields, ...conditions.status }).catch(ignoreNotFound);
  return true;
}
