import { keyOf } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { type EventHandler, funcSource } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { SecretMetadata } from "../cnf/secret-cache.ts";
import { affectsOthers } from "../effect/effects.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { rulesSelecting } from "../rules/application-pods.ts";
import { RuleReconciler, type RuleReconcilerOptions } from "../rules/rule-reconciler.ts";
import {
  applicationPodMatters,
  cnfPodMatters,
  comesOrGoes,
  deploymentMatters,
  effectMatters,
  ruleMatters,
  rulesOfPod,
  rulesOfSamePurpose,
  rulesOfSecret,
  secretMatters,
} from "../rules/triggers.ts";
import type { WaitingRules } from "../rules/waiting-rules.ts";
import { rulesReferring } from "../secrets/triggers.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { Starters } from "./readiness.ts";

/**
 * Number of resources of one kind that are reconciled at the same time. The number is high because reconciles mostly wait: the changes
 * that concurrent reconciles request from a CNF are collected into one batch, so this number also limits the size of a batch.
 */
const workers = 400;

/** Returns a function for each rule kind that adds the kind's controller. */
export const ruleControllers = (manager: Manager, options: Omit<RuleReconcilerOptions, "kind" | "kinds">): Starters =>
  new Map(
    ruleKinds.map((kind) => [kind.kind, () => addRuleController(manager, { kind, kinds: ruleKinds, ...options })]),
  );

/**
 * Minimum interval between writes that contradict each other, for example by two operators. It prevents them from
 * overwriting each other in a fast loop.
 */
const contradictedMs = 1_000;

const laterAgain: EventHandler = ({ object }, enqueue) => enqueue(keyOf(object), { afterMs: contradictedMs });

function addRuleController(manager: Manager, options: RuleReconcilerOptions): void {
  const { kind, waitingRules, scope, effects } = options;
  const samePurpose = rulesOfSamePurpose(kind, scope);
  const reconciler = new RuleReconciler(options);
  const { reconcile, statusIsContradicted } = reconciler;
  const log = manager.logger.child({ controllerKind: kind.kind.kind });
  effects?.writeWith(kind, (key) => reconciler.refreshEffect(key, { client: manager.client, log }));
  const builder = controllerManagedBy(manager)
    .for(kind.kind, { predicates: [ruleMatters] })
    .watches(kind.kind, laterAgain, { predicates: [statusIsContradicted] })
    .watches(Deployment, samePurpose, { predicates: [deploymentMatters] })
    .watches(ReplicaSet, samePurpose, { predicates: [comesOrGoes] })
    .watches(Pod, rulesOfPod(kind, scope), { predicates: [cnfPodMatters] })
    .watches(SecretMetadata, rulesOfSecret(kind, scope), { predicates: [secretMatters] })
    .watchesRawSource(waiting(kind, waitingRules))
    .withOptions({ maxConcurrentReconciles: workers });
  if (kind.secretFields.length > 0)
    builder.watches(SecretMetadata, rulesReferring(kind), { predicates: [secretMatters] });
  if (effects && affectsOthers(kind))
    builder.watches(kind.kind, (event, _enqueue, { client }) => effects.changed(client, kind, event), {
      predicates: [effectMatters(kind)],
    });
  if (kind.podsOf) builder.watches(Pod, rulesSelecting(kind), { predicates: [applicationPodMatters] });
  builder.complete(reconcile);
}

const waiting = ({ kind }: CnfKind, waitingRules: WaitingRules) =>
  funcSource(
    ({ queue }, signal) => waitingRules.subscribe(kind.kind, (key) => queue.add(key), signal),
    `${kind.kind} waiting`,
  );
