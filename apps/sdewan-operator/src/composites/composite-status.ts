import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { conditionsPatch, type Standing } from "../tell/standing.ts";
import type { Composite, CompositeKind, Facts } from "./composite-kind.ts";
import { factsOf } from "./existing-children.ts";

/** The part of a status but its conditions to write, with `null` for what shall go; nothing if nothing differs. */
function statusPatch(
  object: Composite,
  facts: Facts,
  message: string | undefined,
): Record<string, unknown> | undefined {
  const { message: said } = object.status ?? {};
  const current: Facts = { ...factsOf(object), message: said };
  const next: Facts = { ...facts, message };
  const fields = [...new Set([...Object.keys(current), ...Object.keys(next)])];
  const changed = fields.filter(
    (field) => JSON.stringify(filled(current[field])) !== JSON.stringify(filled(next[field])),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((field) => [field, filled(next[field]) ?? null]));
}

/** A text or list with anything in it. */
const filled = (fact: Facts[string]): Facts[string] => (fact?.length ? fact : undefined);

/** @returns whether there was anything to write */
export async function writeStatus(
  writer: Writer,
  { kind }: CompositeKind,
  object: Composite,
  facts: Facts,
  message: string | undefined,
  standing: Standing,
  nowMs: number,
): Promise<boolean> {
  const fields = statusPatch(object, facts, message);
  const conditions = conditionsPatch(object.metadata.generation, object.status, standing, nowMs);
  const patch = fields || conditions ? { ...fields, ...conditions } : undefined;
  // Deleted meanwhile: there is nothing left to have a status.
  if (patch) await writer.status.patch(kind, keyOf(object), patch).catch(ignoreNotFound);
  return patch !== undefined;
}
