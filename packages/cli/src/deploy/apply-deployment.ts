import type { Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type ApplyManifestsOptions, type ApplyResult, applyManifests, type Manifest } from "@kubewright/client/apply";
import { type Clock, systemClock } from "@kubewright/clock";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { deploymentSet, isStanding, untilGone, withNamespaceClaimed } from "./deployment-set.ts";
import { Transition } from "./transition.ts";

export interface ApplyDeploymentOptions {
  readonly program: DescribedProgram;
  /** Deployment that runs the program. */
  readonly runBy: Unstructured;
  /** Namespace of the deployment. */
  readonly namespace: string;
  /** True to apply labels even to a namespace that already existed. */
  readonly labelsOthers: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with the result of each object as soon as it is known. */
  readonly onResult: (result: ApplyResult) => void;
  /** Called with a message about each webhook that was removed early or is still called. */
  readonly note: (line: string) => void;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

export interface AppliedDeployment {
  readonly objects: number;
  readonly applied: number;
  readonly pruned: number;
  readonly hasFailed: boolean;
  /** Total time until the Deployment was available, in milliseconds; undefined if it is not available. */
  readonly availableMs?: number | undefined;
  /** The Deployment as returned by the server. */
  readonly deployment?: Unstructured | undefined;
}

/**
 * Applies a program's objects and waits until its Deployment is available. The namespace and CRDs are applied
 * individually and never pruned. All other objects form an applyset, so that objects that are no longer part of the
 * program are pruned.
 */
export async function applyDeployment(
  client: Client,
  manifests: readonly Manifest[],
  {
    program: described,
    runBy,
    namespace,
    labelsOthers,
    dryRun,
    force,
    timeoutMs,
    signal,
    onResult,
    note,
    clock = systemClock,
  }: ApplyDeploymentOptions,
): Promise<AppliedDeployment> {
  const startMs = clock.monotonic();
  const { name: program } = described;
  if (!dryRun) await untilGone(client, namespace, { timeoutMs, signal, clock });
  const objects = await withNamespaceClaimed(client, program, manifests, labelsOthers);
  const options = { namespace, dryRun, timeoutMs, signal, clock } satisfies ApplyManifestsOptions;
  let applied = 0;
  let pruned = 0;
  let hasFailed = false;
  let availableMs: number | undefined;
  let deployment: Unstructured | undefined;
  const moved = {
    client,
    program: described,
    manifests: objects,
    deployment: runBy,
    namespace,
    timeoutMs,
    signal,
    clock,
  };
  const transition = dryRun ? undefined : await Transition.between(moved);
  await transition?.begin();
  const passes: (readonly [manifests: readonly Manifest[], options: ApplyManifestsOptions])[] = dryRun
    ? [[objects, { ...options, force }]]
    : [
        // The project is the only owner of its CRDs, so it may take over their fields.
        [
          objects.filter(isStanding),
          { ...options, force: true, before: async (object) => transition?.both(object) ?? object },
        ],
        [
          objects.filter((one) => !isStanding(one)),
          {
            ...options,
            force,
            wait: true,
            prune: deploymentSet(program, namespace),
            before: async (object) => (await transition?.before(object)) ?? object,
          },
        ],
      ];
  for (const [some, how] of passes)
    for await (const result of applyManifests(client, some, how)) {
      onResult(result);
      const { outcome, object } = result;
      if (outcome === "applied") applied++;
      if (outcome === "pruned") pruned++;
      if (outcome === "failed") hasFailed = true;
      if (object?.kind !== "Deployment") continue;
      deployment = object;
      if (outcome === "ready") availableMs = clock.monotonic() - startMs;
    }
  if (transition && !hasFailed) {
    await transition.roll();
    for (const line of await transition.end()) note(line);
  }
  return { objects: objects.length, applied, pruned, hasFailed, availableMs, deployment };
}
