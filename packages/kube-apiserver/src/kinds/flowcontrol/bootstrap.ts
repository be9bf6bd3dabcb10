import type { Unstructured } from "@kubewright/apimachinery";
import { flowSchemaObjects, priorityLevelObjects } from "./bootstrap-objects.ts";

const objectsOf = (lines: string): readonly Unstructured[] =>
  lines
    .trim()
    .split("\n")
    .map((line): Unstructured => JSON.parse(line.slice(line.indexOf(" "))));

/** All FlowSchemas that exist after startup. @see apiserver pkg/apis/flowcontrol/bootstrap */
export const bootstrapFlowSchemas = objectsOf(flowSchemaObjects);

/** All PriorityLevelConfigurations that exist after startup. */
export const bootstrapPriorityLevels = objectsOf(priorityLevelObjects);

/** Returns the required spec of the mandatory object with the given name, or `undefined` if there is none. */
export function mandatorySpec(objects: readonly Unstructured[], name: string | undefined): unknown {
  if (name !== "exempt" && name !== "catch-all") return undefined;
  return objects.find(({ metadata }) => metadata.name === name)?.spec;
}
