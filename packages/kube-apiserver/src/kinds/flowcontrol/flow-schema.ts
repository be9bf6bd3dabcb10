import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  jsonEqual,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { bootstrapFlowSchemas, mandatorySpec } from "./bootstrap.ts";
import { type Condition, conditionErrors } from "./conditions.ts";
import { type RulesWithSubjects, ruleErrors } from "./flow-schema-rules.ts";

interface FlowSchema extends KubeObject {
  spec?: {
    priorityLevelConfiguration?: { name?: string };
    matchingPrecedence?: number;
    distinguisherMethod?: { type?: string };
    rules?: RulesWithSubjects[];
  };
  status?: { conditions?: Condition[] };
}

const at = fieldPath("spec");
const maxPrecedence = 10_000;

function specErrors({ metadata: { name }, spec = {} }: FlowSchema): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod, priorityLevelConfiguration } = spec;
  const precedence = at.child("matchingPrecedence");
  const level = priorityLevelConfiguration?.name ?? "";
  const levelAt = at.child("priorityLevelConfiguration", "name");
  return [
    ...(matchingPrecedence <= 0
      ? [fieldError.invalid(precedence, matchingPrecedence, "must be a positive value")]
      : []),
    ...(matchingPrecedence > maxPrecedence
      ? [fieldError.invalid(precedence, matchingPrecedence, `must not be greater than ${maxPrecedence}`)]
      : []),
    ...(matchingPrecedence === 1 && name !== "exempt"
      ? [
          fieldError.invalid(
            precedence,
            matchingPrecedence,
            "only the schema named 'exempt' may have matchingPrecedence 1",
          ),
        ]
      : []),
    ...(distinguisherMethod && !["ByNamespace", "ByUser"].includes(distinguisherMethod.type ?? "")
      ? [
          fieldError.notSupported(at.child("distinguisherMethod", "type"), distinguisherMethod, [
            "ByNamespace",
            "ByUser",
          ]),
        ]
      : []),
    ...(level === ""
      ? [fieldError.required(levelAt, "must reference a priority level")]
      : messages(level, isDns1123Subdomain(level), levelAt)),
    ...(spec.rules ?? []).flatMap((rule, i) => ruleErrors(rule, at.child("rules").index(i))),
  ];
}

function validate(schema: FlowSchema): FieldError[] {
  const fixed = mandatorySpec(bootstrapFlowSchemas, schema.metadata.name);
  return [
    ...specErrors(schema),
    ...(fixed !== undefined && !jsonEqual(fixed, schema.spec ?? {})
      ? [fieldError.invalid(at, schema.spec ?? {}, `spec of '${schema.metadata.name}' must equal the fixed value`)]
      : []),
    ...conditionErrors(schema.status?.conditions),
  ];
}

/** Strategy for FlowSchemas. @see pkg/registry/flowcontrol/flowschema strategy.go */
export const flowSchemaStrategy = defineStrategy<FlowSchema>({
  statusIgnoresMetadata: "all",
  countsGeneration: true,
  applyDefaults(schema) {
    schema.spec ??= {};
    schema.spec.matchingPrecedence ||= 1_000;
  },
  validate,
  validateStatusUpdate: ({ status }) => conditionErrors(status?.conditions),
  columns: [
    nameColumn,
    column("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name ?? ""),
    column("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence ?? 0),
    column("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
    ageColumn,
    column("MissingPL", ({ status }) => {
      const dangling = status?.conditions?.find(({ type }) => type === "Dangling");
      return dangling?.status ?? "?";
    }),
  ],
});
