import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const highestForUsers = 1_000_000_000;
const systemPrefix = "system-";
const systemClasses: ReadonlySet<string> = new Set(["system-node-critical", "system-cluster-critical"]);

function validate({ metadata, value = 0, preemptionPolicy }: PriorityClass): FieldError[] {
  const { name = "" } = metadata as { name?: string };
  return [
    ...(name.startsWith(systemPrefix) && !systemClasses.has(name)
      ? [
          fieldError.forbidden(
            "metadata.name",
            `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
          ),
        ]
      : []),
    ...(value > highestForUsers && !name.startsWith(systemPrefix)
      ? [fieldError.forbidden("value", `maximum allowed value of a user defined priority is ${highestForUsers}`)]
      : []),
    ...(preemptionPolicy !== undefined && !["Never", "PreemptLowerPriority"].includes(preemptionPolicy)
      ? [fieldError.notSupported("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"])]
      : []),
  ];
}

/** Strategy for PriorityClasses. @see pkg/registry/scheduling/priorityclass strategy.go */
export const priorityClassStrategy = defineStrategy<PriorityClass>({
  countsGeneration: true,
  generationAlsoCounts: "nothing",
  applyDefaults(priority) {
    priority.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validate,
  validateUpdate: (next, old) => [
    ...((next.value ?? 0) === (old.value ?? 0)
      ? []
      : [fieldError.forbidden("value", "may not be changed in an update.")]),
    ...immutable(next.preemptionPolicy, old.preemptionPolicy, fieldPath("preemptionPolicy")),
  ],
  columns: [
    nameColumn,
    column("Value", ({ value }) => value ?? 0, { type: "integer" }),
    column("Global-Default", ({ globalDefault }) => globalDefault ?? false, { type: "boolean" }),
    ageColumn,
    column("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy ?? ""),
  ],
});
