import type { Condition as ConditionValue } from "../object/conditions.ts";
import { type TypedSchema, typedSchema } from "./schema-type.ts";

const prefix = "([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?";

/**
 * Schema of a condition, with upstream's limits: `type` has at most 316 characters and may start with a domain,
 * `reason` is a single word of 1 to 1,024 characters, and `message` has at most 32,768 characters.
 *
 * @see apimachinery meta/v1 Condition
 */
export const Condition: TypedSchema<ConditionValue> = typedSchema({
  type: "object",
  description: "One aspect of the current state of this object.",
  required: ["type", "status", "lastTransitionTime", "reason", "message"],
  properties: {
    type: {
      type: "string",
      description: "Type of the condition in CamelCase, optionally after a domain and a slash.",
      maxLength: 316,
      pattern: `^${prefix}(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    },
    status: { type: "string", description: "Status of the condition.", enum: ["True", "False", "Unknown"] },
    observedGeneration: {
      type: "integer",
      description: "metadata.generation of the object for which the condition was set.",
      format: "int64",
      minimum: 0,
    },
    lastTransitionTime: { type: "string", description: "Time of the last change of status.", format: "date-time" },
    reason: {
      type: "string",
      description: "Machine-readable reason for the last change, in CamelCase.",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: {
      type: "string",
      description: "Details about the last change for human readers. May be empty.",
      maxLength: 32_768,
    },
  },
});
/** One observed aspect of an object: an item in `status.conditions`. */
export type Condition = ConditionValue;

/**
 * Schema of `status.conditions`, which contains at most one condition of each type. Use it as in `status: Type.Object({
 * conditions: Type.Optional(Conditions) })`. Server-side apply merges conditions set by different managers by `type`.
 */
export const Conditions: TypedSchema<ConditionValue[]> = typedSchema({
  type: "array",
  items: Condition,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
});
