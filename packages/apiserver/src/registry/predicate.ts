import {
  badRequest,
  type FieldSelector,
  ownMember,
  ParsedLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from "@kubewright/apimachinery";
import type { SelectionPredicate, StoredObject } from "@kubewright/storage";
import type { ServedResource } from "./resource.ts";
import type { ShardSelector } from "./shard-selector.ts";
import type { KindStrategy } from "./strategy.ts";

/** Parsed selectors of a list or watch request. */
export interface Selection {
  readonly labels: ParsedLabelSelector;
  readonly fields: FieldSelector | undefined;
  /** Name of the object, if the field selector selects a single one. */
  readonly name: string | undefined;
  /** Part of the objects that the client reads, if it shares them with other clients. */
  readonly shards?: ShardSelector | undefined;
}

/**
 * Checks that selectors can be parsed, regardless of which fields they use.
 *
 * @throws {StatusError} 400 if a selector cannot be parsed
 */
export function checkSelectors(labelSelector: string, fieldSelector: string): void {
  if (labelSelector) orBadRequest(() => parseLabelSelector(labelSelector));
  if (fieldSelector) orBadRequest(() => parseFieldSelector(fieldSelector));
}

/**
 * Parses the selectors of a request.
 *
 * @throws {StatusError} 400 if the syntax is not valid or a field is not supported
 */
export function parseSelection(
  labelSelector: string | undefined,
  fieldSelector: string | undefined,
  resource: Pick<ServedResource, "strategy" | "origin" | "scope">,
): Selection {
  const labels = labelSelector ? orBadRequest(() => parseLabelSelector(labelSelector)) : ParsedLabelSelector.everything;
  const fields = fieldSelector ? orBadRequest(() => parseFieldSelector(fieldSelector)) : undefined;
  const offered = resource.strategy.selectableFields ?? {};
  for (const { field } of fields?.requirements ?? []) {
    if (field === "metadata.name" || Object.hasOwn(offered, field)) continue;
    if (field === "metadata.namespace" && !(resource.scope === "Cluster" && hasOwnLabels(resource))) continue;
    throw badRequest(unknownField(field, resource));
  }
  const byName = fields?.requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  return { labels, fields, name: byName?.value };
}

/**
 * Returns the predicate with which the store selects objects. Objects must be passed to it in the version in which the
 * kind's selectable fields are defined.
 */
export function predicateOf(
  { labels, fields, shards }: Selection,
  strategy: KindStrategy,
  served: (object: StoredObject) => StoredObject = (object) => object,
): SelectionPredicate {
  if (labels.isEmpty && !fields && !shards) return { isEmpty: true, matches: () => true };
  return {
    isEmpty: false,
    matches: (object) =>
      (shards === undefined || shards.matches(object)) &&
      labels.matches(object.metadata.labels) &&
      (fields === undefined || fields.matches((field) => fieldOf(served(object), field, strategy))),
  };
}

function fieldOf(object: StoredObject, field: string, strategy: KindStrategy): string {
  if (field === "metadata.name") return object.metadata.name;
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  return ownMember(strategy.selectableFields, field)?.(object as never) ?? "";
}

/** Reports whether a kind has its own list of field labels. If it is also cluster-scoped, `metadata.namespace` is not one of them. */
const hasOwnLabels = ({ strategy, origin }: Pick<ServedResource, "strategy" | "origin">): boolean =>
  origin === "custom" || (strategy.ownFieldLabels ?? strategy.selectableFields !== undefined);

function unknownField(field: string, resource: Pick<ServedResource, "strategy" | "origin">): string {
  const own = resource.strategy.unknownFieldLabel?.(field);
  if (own !== undefined) return own;
  if (hasOwnLabels(resource)) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function orBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}
