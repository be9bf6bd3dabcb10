import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Deployment, Pod } from "@kubewright/client/kinds";
import { stageAnnotation } from "../api/group.ts";

/** The pods of a CNF that receive a change at the same time. */
export interface CnfStage {
  /** Stage, from 0 to 9. */
  readonly stage: number;
  readonly pods: readonly DeepReadonly<Pod>[];
}

const maxShownLength = 64;

/** Returns a Deployment's stage annotation, or undefined if it has none. */
export const stageTextOf = ({ metadata }: DeepReadonly<Deployment>): string | undefined =>
  metadata.annotations?.[stageAnnotation];

/** Returns a Deployment's stage, or undefined if the annotation is absent or malformed. */
export function stageOf(deployment: DeepReadonly<Deployment>): number | undefined {
  const text = stageTextOf(deployment);
  return text !== undefined && /^[0-9]$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns the error for a malformed stage annotation, with its value and the remedy. Returns undefined if the
 * annotation is valid or absent.
 */
export function stageProblem(deployment: DeepReadonly<Deployment>): string | undefined {
  const text = stageTextOf(deployment);
  if (text === undefined || stageOf(deployment) !== undefined) return undefined;
  const { namespace, name } = deployment.metadata;
  const shown = JSON.stringify(text.slice(0, maxShownLength));
  return `annotation ${stageAnnotation} of Deployment ${namespace}/${name}: ${shown} is not a number from 0 to 9; change it, or remove the annotation to apply changes immediately`;
}
