import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Deployment, Pod } from "@kubewright/client/kinds";
import { orderAnnotation, retryAnnotation } from "../api/group.ts";
import { type Cnf, deploymentOf } from "../cnf/discovery.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { type ConfirmSettings, confirmSettings } from "../confirm/confirm-settings.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { heldMessage } from "../reporting/conditions.ts";
import type { Rule } from "../rules/rule.ts";
import { type Direction, type StageGate, type StagesBefore, waitText } from "../rules/stage-gate.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";

/** A resource whose last change was rolled back. */
export interface PlannedHold {
  readonly resource: string;
  /** The reason why the change is held back, and what ends this. It may contain secrets of the CNF. */
  readonly message: string;
  /** The changed resource that makes the operator try the change again. Undefined if it does not try again. */
  readonly endedBy: string | undefined;
  readonly appliedOrder: number | undefined;
}

/**
 * Returns the resources whose changes were rolled back, keyed by UID. A hold ends if the plan changes one of the
 * resources that were rolled back for the same reason.
 *
 * @param isConfirmed reports whether changes to a resource's CNF still require confirmation; otherwise, nothing is held
 */
export async function holdsOf(
  live: Reader,
  planned: Reader,
  purposes: ReadonlySet<string>,
  isConfirmed: (rule: Rule) => boolean,
): Promise<ReadonlyMap<string, PlannedHold>> {
  const kinds: readonly CnfKind[] = ruleKinds;
  const found: {
    readonly rule: Rule;
    readonly resource: string;
    readonly group: string;
    readonly isChanged: boolean;
  }[] = [];
  for (const kind of kinds)
    for (const purpose of purposes)
      for (const rule of await live.list(kind.kind, { fields: { [byPurpose]: purpose } })) {
        const message = heldMessage(rule);
        if (message === undefined || !isConfirmed(rule)) continue;
        const after = await planned.get(kind.kind, keyOf(rule)).catch(ignoreNotFound);
        const isChanged = !after || revisionOf(after) !== revisionOf(rule);
        found.push({
          rule,
          resource: `${kind.kind.kind} ${keyOf(rule)}`,
          group: `${purpose} ${reasonIn(message)}`,
          isChanged,
        });
      }
  const endedBy = new Map(found.filter(({ isChanged }) => isChanged).map(({ group, resource }) => [group, resource]));
  return new Map(
    found.map(({ rule, resource, group, isChanged }): [string, PlannedHold] => [
      rule.metadata.uid ?? "",
      {
        resource,
        message: heldMessage(rule) ?? "",
        endedBy: isChanged ? resource : endedBy.get(group),
        appliedOrder: rule.status?.appliedOrder,
      },
    ]),
  );
}

/** Returns the part of a message that is the same for all resources that were rolled back together. */
const reasonIn = (message: string): string => message.split(" after the change. ")[0] ?? "";

/** Returns the parts of a resource whose change ends a hold. */
const revisionOf = ({ metadata: { uid, generation, annotations, deletionTimestamp } }: Rule): string =>
  JSON.stringify([
    uid,
    generation,
    annotations?.[orderAnnotation],
    annotations?.[retryAnnotation],
    deletionTimestamp !== undefined,
  ]);

/** How changes reach a pod. */
export interface PodRules {
  /** How changes are confirmed; undefined if they are applied without a confirmation. */
  readonly confirmation: ConfirmSettings | undefined;
  /** Error for a malformed annotation of the Deployment. The operator applies nothing to the pod. */
  readonly problem: Error | undefined;
  /** False if the Deployment turns confirmations off. */
  readonly mayHold: boolean;
  readonly stage: number | undefined;
  /** The stage for which a change or deletion waits. Undefined if it does not wait. */
  readonly waits: Readonly<Record<Direction, PlannedWait | undefined>>;
}

/** A wait for another stage. */
export interface PlannedWait {
  readonly forStage: number;
  readonly message: string;
}

/**
 * Returns how changes reach each pod of a CNF, keyed by UID.
 *
 * @param confirmMs time limit for confirmations, in milliseconds, for Deployments without the annotation; 0 for no
 * confirmation
 */
export async function podRulesOf(
  reader: Reader,
  cnf: Cnf,
  gate: StageGate,
  confirmMs: number,
): Promise<ReadonlyMap<string, PodRules>> {
  const rules = new Map<string, PodRules>();
  const add = async (pods: readonly DeepReadonly<Pod>[], stage?: number): Promise<void> => {
    const { namespace = "" } = cnf.deployment.metadata;
    const waitOf = async (direction: Direction): Promise<PlannedWait | undefined> =>
      stage === undefined
        ? undefined
        : wait(stage, await gate.before(namespace, stage, direction), direction, gate.soakMs);
    const waits = { forward: await waitOf("forward"), backward: await waitOf("backward") };
    const deployments = await Promise.all(pods.map((pod) => (cnf.stages ? deploymentOf(reader, pod) : cnf.deployment)));
    for (const [index, { metadata }] of pods.entries())
      rules.set(metadata.uid ?? "", { stage, waits, ...confirmationOf(deployments[index], confirmMs) });
  };
  if (!cnf.stages) await add(cnf.pods);
  for (const { stage, pods } of cnf.stages ?? []) await add(pods, stage);
  return rules;
}

function wait(stage: number, before: StagesBefore, direction: Direction, soakMs: number): PlannedWait | undefined {
  const { closest } = before;
  if (closest === undefined) return undefined;
  return { forStage: closest, message: waitText({ ...before, stage, forStage: closest, direction, soakMs }) };
}

function confirmationOf(
  deployment: DeepReadonly<Deployment> | undefined,
  confirmMs: number,
): Pick<PodRules, "confirmation" | "problem" | "mayHold"> {
  if (!deployment) return { confirmation: undefined, problem: undefined, mayHold: false };
  try {
    const confirmation = confirmSettings(deployment, confirmMs);
    // Without the annotation, the operator's flag decides, which the command line may not repeat.
    return { confirmation, problem: undefined, mayHold: confirmSettings(deployment, 1) !== undefined };
  } catch (error) {
    return {
      confirmation: undefined,
      problem: error instanceof Error ? error : new Error(String(error)),
      mayHold: true,
    };
  }
}
