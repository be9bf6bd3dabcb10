import type { Unstructured } from "@kubewright/apimachinery";
import { flowSchemaObjects, priorityLevelObjects } from "./bootstrap-objects.ts";

const objectsOf = (lines: string): readonly Unstructured[] =>
  lines
    .trim()
    .split("\n")
    .map((line): Unstructured => JSON.parse(line.slice(line.indexOf(" "))));

/** Every FlowSchema that exists after start. @see apiserver pkg/apis/flowcontrol/bootstrap */
export const bootstrapFlowSchemas = objectsOf(flowSchemaObjects);

/** Every PriorityLevelConfiguration that exists after start. */
export const bootstrapPriorityLevels = objectsOf(priorityLevelObjects);

/** The spec that objects of this name must have. */
export function mandatorySpec(objects: readonly Unstructured[], name: string | undefined): unknown {
  if (name !== "exempt" && name !== "catch-all") return undefined;
  return objects.find(({ metadata }) => metadata.name === name)?.spec;
}
