import type { Reader } from "@kubewright/client";
import type { ReconcileContext } from "@kubewright/controller";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { SearchScope } from "../cnf/discovery.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { Effects } from "../effect/effects.ts";
import type { CnfMasks } from "../masking/cnf-masks.ts";
import type { EventReporter } from "../reporting/event-reporter.ts";
import type { Filled, RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { DriftPolicy } from "./drift-policy.ts";
import type { PodFailures } from "./pod-failures.ts";
import type { Rule } from "./rule.ts";
import type { StageGate } from "./stage-gate.ts";
import type { WaitingRules } from "./waiting-rules.ts";

/** The environment for the rules of a kind. */
export interface RuleEnvironment {
  readonly kind: CnfKind;
  /** Every rule kind, including kinds that share names with `kind`. */
  readonly kinds: readonly CnfKind[];
  /** Reads rules from the API server. If undefined, the cache is never outdated. */
  readonly live?: Pick<Reader, "get"> | undefined;
  readonly pool: SessionPool;
  readonly waitingRules: WaitingRules;
  /** Handling of changes by others on a CNF. */
  readonly drift: DriftPolicy;
  readonly reporter: EventReporter;
  /** CNFs that a rule may configure. */
  readonly scope: CnfScope;
  readonly secrets: RuleSecrets;
  /** Hides the secrets in a CNF's other rules. */
  readonly masks: CnfMasks;
  readonly failures: PodFailures;
  /** Determines the effects of rules. If undefined, effects are not reported. */
  readonly effects?: Effects | undefined;
  /** Determines when the next stage of a rollout begins. If undefined, changes reach all stages at once. */
  readonly stageGate?: StageGate | undefined;
}

/** An attempt to apply a rule. */
export interface Attempt extends Pick<ReconcileContext, "client" | "log" | "signal"> {
  /** The rule, with its values from Secrets. */
  readonly rule: Rule;
  readonly secrets: Pick<Filled, "problem" | "versions">;
}

/** Returns the scope in which a rule may look for its CNF. */
export const searchScopeOf = ({ scope }: RuleEnvironment, { metadata }: Rule): SearchScope => ({
  namespace: metadata.namespace,
  scope,
});
