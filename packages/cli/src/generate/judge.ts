import { customResourceDefinitionStrategy } from "@kubewright/apiextensions";
import { fieldErrorMessage, isRecord, mutableCopy } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import type { Judge } from "@kubewright/codegen";

type CustomResourceDefinition = Parameters<NonNullable<typeof customResourceDefinitionStrategy.applyDefaults>>[0];

/** What the API server's own code has against a definition: structure, names, types and cost of rules. */
export const judge: Judge = (definition) => {
  const copy: unknown = mutableCopy(definition);
  if (!isDefinition(copy)) return ["spec: Required value"];
  const user = { name: "kubewright", groups: [] };
  const context = { user, nowMs: systemClock.now(), namespace: "", dryRun: false };
  customResourceDefinitionStrategy.applyDefaults?.(copy);
  return (customResourceDefinitionStrategy.validate?.(copy, context) ?? []).map(fieldErrorMessage);
};

/** Its fields are what is judged. */
const isDefinition = (value: unknown): value is CustomResourceDefinition => isRecord(value) && isRecord(value.spec);
