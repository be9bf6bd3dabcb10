import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { State } from "../api/status.ts";
import { codeOf, isRefusal, isUnreachable, messageOf, messageWithoutResponse } from "../cnf/cnf-error.ts";
import { findCnf, findFormerPods } from "../cnf/discovery.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import { NoAnswerError, RolledBackError } from "../confirm/confirm-errors.ts";
import type { Hide } from "../masking/cnf-masks.ts";
import { masked } from "../masking/mask.ts";
import { type ConditionValue, noCnf, Reason, responding, unreachable } from "../reporting/conditions.ts";
import { withResourceNames } from "../reporting/resource-names.ts";
import { InvalidSpecError } from "../uci/cnf-kind.ts";
import { FanOutError } from "./fan-out.ts";
import type { NameConflict } from "./name-conflicts.ts";
import type { Conclusion, Outcome } from "./outcome.ts";
import { conflictRetryMs, deleteRetryDelayMs, retryDelayMs } from "./retry.ts";
import { originOf, purposeOf, type Rule } from "./rule.ts";
import { type Attempt, type RuleEnvironment, searchScopeOf } from "./rule-environment.ts";

/** Delay until the next check whether drift was reverted. */
const driftMs = 30_000;
/** Maximum length of the failure message for one pod. */
const maxLengthPerPod = 400;

type FailedState = Exclude<State, typeof State.inSync>;

/** Determines the status of rules that could not be applied, and when to try again. */
export class FailureHandler {
  readonly #environment: RuleEnvironment;

  constructor(environment: RuleEnvironment) {
    this.#environment = environment;
  }

  /** Called if another object has the rule's name on the CNF. */
  refused(rule: Rule, { kind, object, name }: NameConflict): Conclusion {
    this.#wait(rule, purposeOf(rule));
    const owner = `${kind.kind.kind} ${keyOf(object)}`;
    const message = `The name ${name} on the CNF belongs to ${owner}, which is older`;
    return { result: { state: State.applying, message, reason: Reason.nameTaken }, retryAfterMs: conflictRetryMs };
  }

  /** Called if someone changed the object on the CNF, or only moved it (`displaced`), and the operator does not revert the change. */
  drifted(displaced: boolean): Conclusion {
    const message = displaced
      ? "The object on the CNF was moved, and the operator does not restore the order because of --drift=report"
      : "The object on the CNF was changed or deleted, and the operator does not restore it because of --drift=report";
    return {
      result: { state: State.unknown, message, reason: Reason.drifted, reachable: responding },
      retryAfterMs: driftMs,
    };
  }

  /**
   * Called if a rule could not be applied.
   *
   * @param purpose purpose of the CNF that failed. Default: the rule's own
   */
  failed(rule: Rule, state: FailedState, error: unknown, purpose = purposeOf(rule)): Conclusion {
    return this.#failed(rule, state, error, purpose, this.#messageOf(rule, error, purpose));
  }

  #failed(rule: Rule, state: FailedState, error: unknown, purpose: string | undefined, message: string): Conclusion {
    const reachable = reachableAfter(error, message);
    const result = { state, message, reason: reasonOf(state, error), ...(reachable ? { reachable } : {}) };
    const errors = errorsOf(error).flatMap((each) => (each instanceof RolledBackError ? (each.cause ?? []) : [each]));
    if (error instanceof InvalidSpecError || errors.length === 0) return { result };
    const failures = this.#wait(rule, purpose);
    const delayOf = state === State.deleting ? deleteRetryDelayMs : retryDelayMs;
    return { result, retryAfterMs: Math.min(...errors.map((each) => delayOf(each, failures))) };
  }

  /**
   * Called if some of a CNF's pods could not be changed.
   *
   * @throws errors that are unrelated to the pods
   */
  async failedOnPods(
    attempt: Attempt,
    state: FailedState,
    error: unknown,
    purpose: string | undefined,
  ): Promise<Outcome> {
    attempt.signal.throwIfAborted();
    if (!(error instanceof FanOutError)) throw error;
    if (await this.#isOutdated(attempt, purpose, error)) return "outdated";
    const { rule, client } = attempt;
    const { kind, kinds, scope, secrets } = this.#environment;
    const { namespace } = rule.metadata;
    const hides = await this.#hidesOf(client, error);
    const hide = (pod: DeepReadonly<Pod>): Hide => hides.get(pod) ?? (() => "***");
    this.#note(rule, error, hide);
    const own = secrets.of(kind, rule);
    const text = masked(`${whereOf(rule, purpose)}${error.withoutSecrets(own, hide)}`, own);
    const message = await withResourceNames(text, { reader: client, kinds, scope, namespace, purpose });
    return this.#failed(rule, state, error, purpose, message);
  }

  #messageOf(rule: Rule, error: unknown, purpose: string | undefined): string {
    const { kind, secrets } = this.#environment;
    return masked(`${whereOf(rule, purpose)}${messageOf(error)}`, secrets.of(kind, rule));
  }

  /** Returns the masks for the failed CNFs, because their messages may repeat secrets from any of their resources. */
  async #hidesOf(reader: Reader, { failures }: FanOutError): Promise<ReadonlyMap<DeepReadonly<Pod>, Hide>> {
    const { masks } = this.#environment;
    return new Map(await Promise.all(failures.map(async ({ pod }) => [pod, await masks.of(reader, pod)] as const)));
  }

  #note(rule: Rule, { failures: failed }: FanOutError, hide: (pod: DeepReadonly<Pod>) => Hide): void {
    const { kind, secrets, failures } = this.#environment;
    const own = secrets.of(kind, rule);
    const describe = own.some(Boolean) ? messageWithoutResponse : messageOf;
    const messages = failed.map(
      ({ pod, error }) => [pod.metadata.uid ?? "", masked(hide(pod)(describe(error)), own, maxLengthPerPod)] as const,
    );
    failures.note(originOf(kind, rule), new Map(messages));
  }

  /** Records a failure. @returns the number of consecutive failures, including this one */
  #wait(rule: Rule, purpose: string | undefined): number {
    const { kind, waitingRules } = this.#environment;
    return waitingRules.add(originOf(kind, rule), purpose ?? "");
  }

  /** Reports whether a failed pod was deleted, ended or restarted in the meantime. */
  async #isOutdated(
    { rule, client }: Attempt,
    purpose: string | undefined,
    { failures }: FanOutError,
  ): Promise<boolean> {
    const searchScope = searchScopeOf(this.#environment, rule);
    const cnf = await findCnf(client, purpose, searchScope).catch(() => undefined); // the next attempt reports the problem
    const formerPods = purpose === undefined ? undefined : await findFormerPods(client, purpose, searchScope);
    const left = [...(formerPods?.orphaned ?? []), ...(formerPods?.relabelled ?? []).map(({ pod }) => pod)];
    const lives = new Set([...(cnf?.pods ?? []), ...left].map(lifeOf));
    return failures.some(({ pod }) => !lives.has(lifeOf(pod)));
  }
}

const whereOf = (rule: Rule, purpose: string | undefined): string =>
  purpose === purposeOf(rule) ? "" : `Not yet deleted on the CNF with the purpose ${purpose}: `;

const errorsOf = (error: unknown): readonly unknown[] =>
  error instanceof FanOutError ? error.failures.map((failure) => failure.error) : [error];

const isSilent = (error: unknown): boolean => isUnreachable(error) || error instanceof NoAnswerError;

function reasonOf(state: FailedState, error: unknown): Reason {
  if (errorsOf(error).some((each) => each instanceof RolledBackError)) return Reason.rolledBack;
  if (state === State.deleting) return Reason.deleting;
  if (error instanceof InvalidSpecError) return Reason.invalid;
  const errors = errorsOf(error);
  if (errors.some(isSilent)) return Reason.unreachable;
  return errors.some(isRefusal) ? Reason.refused : Reason.waiting;
}

/**
 * Returns the condition that shows whether the CNF responds, as far as a failure reveals this. If several pods failed, a single
 * unresponsive pod means that the CNF does not respond.
 */
function reachableAfter(error: unknown, message: string): ConditionValue | undefined {
  const errors = errorsOf(error);
  if (errors.some(isSilent)) return unreachable(message);
  if (errors.every((each) => codeOf(each) !== undefined || each instanceof RolledBackError)) return responding;
  return error instanceof FanOutError || error instanceof InvalidSpecError ? undefined : noCnf;
}
