import type { Condition as ConditionValue } from "../object/conditions.ts";
import { type TypedSchema, typedSchema } from "./schema-type.ts";

const prefix = "([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?";

/**
 * The schema of one condition, with the bounds that upstream's have: `type` up to 316 letters, a word that may have a domain before it; `reason`
 * one word of at most 1,024, never empty; `message` at most 32,768.
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
      description: "Which aspect: a word in CamelCase, or one after a domain and a slash.",
      maxLength: 316,
      pattern: `^${prefix}(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    },
    status: { type: "string", description: "Whether it is so.", enum: ["True", "False", "Unknown"] },
    observedGeneration: {
      type: "integer",
      description: "The generation of the object that this was said of.",
      format: "int64",
      minimum: 0,
    },
    lastTransitionTime: { type: "string", description: "When status last changed.", format: "date-time" },
    reason: {
      type: "string",
      description: "Why it last changed, as one word in CamelCase, for programs.",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", description: "The same, for people. May be empty.", maxLength: 32_768 },
  },
});
/** One observed aspect of an object, as `status.conditions` holds it. */
export type Condition = ConditionValue;

/**
 * The schema of `status.conditions`, one of each type: `status: Type.Object({ conditions: Type.Optional(Conditions) })`. Server-side apply
 * merges what several managers say, by `type`.
 */
export const Conditions: TypedSchema<ConditionValue[]> = typedSchema({
  type: "array",
  items: Condition,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
});
