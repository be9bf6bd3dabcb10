import {
  badRequest,
  type FieldError,
  isRecord,
  mutableCopy,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { type Random, rfc3339 } from "@kubewright/clock";
import type { TypeSchema } from "@kubewright/codec/schema";
import { withPrintedStructs } from "../fieldmanager/printed-structs.ts";
import { afterDeclaredValidation } from "./declared-validation.ts";
import { generateName } from "./name-generator.ts";
import { metaRulesOf, validateObjectMeta } from "./object-meta-validation.ts";
import { hasStatus, type ServedResource, storedKind } from "./resource.ts";
import type { StrategyContext } from "./strategy.ts";

/**
 * Prepares a decoded and admitted object for storage: sets the system metadata, lets the strategy prepare the object,
 * validates it, and converts it to its normal form.
 *
 * @throws {StatusError} 400 if the namespace is wrong, 422 if the object is not valid
 *
 * @see apiserver pkg/registry/rest BeforeCreate
 */
export function beforeCreate(
  resource: ServedResource,
  object: Unstructured,
  context: StrategyContext,
  random: Random,
): void {
  const { strategy } = resource;
  const meta = object.metadata;
  settleNamespace(resource, object, context.namespace);
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
  meta.uid = random.uuid();
  meta.creationTimestamp = rfc3339(context.nowMs);
  if (meta.generateName && !meta.name) meta.name = generateName(meta.generateName, random);
  if (strategy.countsGeneration) meta.generation = 1;
  if (hasStatus(resource)) resetStatus(resource, object);
  strategy.prepareForCreate?.(object, context, random);
  meta.name ??= ""; // Go serializes an empty string
  const errors = afterDeclaredValidation(resource, validateNew(resource, object, context));
  if (errors.length > 0) throw toAggregateInvalid(storedKind(resource), meta.name, errors);
  strategy.canonicalize?.(object);
  printStructs(resource, object);
}

/** Adds the members that are always serialized for a built-in type's Go struct. */
export function printStructs({ origin, schema }: ServedResource, object: Unstructured): void {
  if (origin === "builtin") Object.assign(object, withPrintedStructs(object, schema, "null"));
}

/** Sets the initial status of an object. For a built-in type, it contains the members that the Go struct always serializes. */
function resetStatus({ origin, schema }: ServedResource, object: Unstructured): void {
  const status = origin === "builtin" ? emptyStatus(schema) : undefined;
  if (status === undefined) delete object.status;
  else object.status = mutableCopy(status);
}

const emptyStatuses = new WeakMap<TypeSchema, { readonly status: unknown }>();

function emptyStatus(schema: TypeSchema): unknown {
  let known = emptyStatuses.get(schema);
  if (!known) {
    const empty = withPrintedStructs({}, schema);
    known = { status: isRecord(empty) ? empty.status : undefined };
    emptyStatuses.set(schema, known);
  }
  return known.status;
}

/** Validates the metadata of a new object, and the rest of the object with its strategy. */
function validateNew(resource: ServedResource, object: Unstructured, context: StrategyContext): FieldError[] {
  return [
    ...validateObjectMeta(object.metadata, metaRulesOf(resource)),
    ...(resource.strategy.validate?.(object, context) ?? []),
  ];
}

/**
 * Sets an object's namespace to that in the URL, or removes it if the object is cluster-scoped.
 *
 * @throws {StatusError} 400 if the object specifies a different namespace
 */
export function settleNamespace(resource: ServedResource, object: Unstructured, namespace: string): void {
  if (resource.scope === "Cluster") {
    delete object.metadata.namespace;
    return;
  }
  const named = object.metadata.namespace;
  if (named && named !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  object.metadata.namespace = namespace;
}
