import {
  type DeepReadonly,
  type DefinedKind,
  ignoreNotFound,
  type KubeObject,
  keyOf,
  type ObjectKey,
} from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import type { CnfApi } from "../cnf/cnf-api.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { type Cnf, findCnf } from "../cnf/discovery.ts";
import type { CnfEndpoint, EndpointDefaults } from "../cnf/endpoint.ts";
import { byPurpose } from "../cnf/indexes.ts";
import type { SecretCache } from "../cnf/secret-cache.ts";
import { type Change, nameOf } from "../cnf/session/change.ts";
import type { Effect } from "../cnf/session/gathering.ts";
import { type PodAccess, SessionPool } from "../cnf/session/session-pool.ts";
import type { CompositeKind } from "../composites/composite-kind.ts";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { CompositeReconciler } from "../composites/composite-reconciler.ts";
import { RolledBackError } from "../confirm/confirm-errors.ts";
import { Effects } from "../effect/effects.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked } from "../masking/mask.ts";
import { maskedStatus } from "../masking/masked-status.ts";
import { effectiveIn, Reason } from "../reporting/conditions.ts";
import { TunnelLog } from "../reporting/tunnel-log.ts";
import { clusterNames } from "../resolve/cluster-names.ts";
import { Names } from "../resolve/names.ts";
import type { Resolve } from "../resolve/resolve.ts";
import { isBeingDeleted } from "../rules/rule.ts";
import { RuleReconciler } from "../rules/rule-reconciler.ts";
import { isDueOn, StageGate } from "../rules/stage-gate.ts";
import { WaitingRules } from "../rules/waiting-rules.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { sameOnCnf } from "../uci/compare.ts";
import { displacedIn } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { type Applied, ForkedCluster } from "./forked-cluster.ts";
import { holdsOf, type PlannedHold, type PlannedWait, type PodRules, podRulesOf } from "./held-back.ts";
import { PlannedCnf } from "./planned-cnf.ts";

/** An object to apply, and its kind. */
export interface PlannedObject {
  readonly kind: DefinedKind;
  readonly object: KubeObject;
}

/** A write that a plan assumes will take place. */
export interface PlannedWrite {
  readonly kind: DefinedKind;
  /** The object before the write; undefined if the write creates it. */
  readonly before: DeepReadonly<KubeObject> | undefined;
  /** The whole object afterwards; undefined if it is deleted. */
  readonly after: KubeObject | undefined;
}

/** An object to delete, and its kind. */
export interface PlannedDeletion {
  readonly kind: DefinedKind;
  readonly key: ObjectKey;
}

export interface PlanOptions {
  readonly live: Reader;
  /** Objects to apply first. */
  readonly objects: readonly PlannedObject[];
  /** Objects to delete after the others were applied. Default: none. */
  readonly deletions?: readonly PlannedDeletion[];
  /**
   * Returns the reason why the API server would reject a write, without secrets, or undefined if it would not. By
   * default, no write is rejected.
   */
  readonly refusalOf?: (write: PlannedWrite) => Promise<string | undefined>;
  /** Purpose of the CNF to plan for. Default: the purposes of the objects. */
  readonly purpose?: string | undefined;
  readonly scope: CnfScope;
  readonly endpoint: EndpointDefaults;
  readonly connect: (endpoint: CnfEndpoint, pod: DeepReadonly<Pod>) => CnfApi;
  /** Source of the values in Secrets. Default: the reader. */
  readonly secretCache?: SecretCache;
  /** Resolver for names outside of the cluster. */
  readonly resolve: Resolve;
  readonly clock?: Clock;
  /** Time for confirmations on Deployments without the annotation, in milliseconds. Default 0, for no confirmation. */
  readonly confirmChangesMs?: number;
  /** Time for which a stage must be ready before the next one gets a change, in milliseconds. Default 60,000. */
  readonly soakMs?: number;
}

/** The planned change to one object on a pod. */
interface PlannedChange {
  readonly action: "create" | "change" | "move" | "delete";
  readonly path: string;
  readonly name: string;
  readonly resource?: string;
  /** The fields that change, without secrets. */
  readonly message?: string;
  /** Stage that must be ready before this happens. Undefined if it does not wait. */
  readonly waitsForStage?: number;
}

export interface PlannedPod {
  readonly pod: string;
  readonly unreachable?: string;
  readonly changes: readonly PlannedChange[];
  /** Number of unchanged objects that would be rewritten to keep the order. */
  readonly rewrites: number;
  /** Service restarts, such as `reload of firewall`. */
  readonly restarts: readonly string[];
  /** Stage of the pod's CNF. Undefined without stages. */
  readonly stage?: number;
  /** What the changes wait for. Undefined if none of them waits. */
  readonly waits?: readonly PlannedWait[];
  /** How the changes are confirmed: the time for the probes, and the probes. Undefined if they are applied without a confirmation. */
  readonly confirmation?: { readonly seconds: number; readonly probes: readonly string[] };
}

/** Formats which probes must pass after a change, and within what time. */
export const confirmationText = ({ seconds, probes }: NonNullable<PlannedPod["confirmation"]>): string =>
  probes.length === 0
    ? `Rolled back unless the CNF answers on a new connection within ${seconds} s`
    : `Rolled back unless the CNF answers on a new connection and these probes pass within ${seconds} s: ${probes.join(", ")}`;

/** A resource that would not be in force, or that would have no effect. */
interface PlannedProblem {
  readonly resource: string;
  /**
   * `refused`: the API server would reject the write, so the plan does not contain it. `conflict`: another resource uses the name on the
   * CNF. `waiting`: the resource is waiting for something else. `held`: its change was rolled back, and the CNF keeps the confirmed object.
   * `retried`: it was held, and is tried again. `shadowed`: other rules decide on all of its packets.
   */
  readonly type: "refused" | "conflict" | "waiting" | "held" | "retried" | "shadowed" | "other";
  readonly message: string;
}

/** The result of a plan. */
export interface PlanReport {
  /** Effect of applying each of the given objects to the cluster. */
  readonly resources: readonly { readonly resource: string; readonly action: Applied | "delete" }[];
  readonly cnfs: readonly { readonly purpose: string; readonly cnf: string; readonly pods: readonly PlannedPod[] }[];
  readonly problems: readonly PlannedProblem[];
}

/** Number of times a resource is reconciled. A later round applies what waited for an earlier one. */
const rounds = 3;

/** Timing of the sessions. Nothing else arrives, so they need not wait for it. */
const session = { gatherMs: 50, maxGatherMs: 500, settleMs: 50, maxSettleMs: 1_000 };

/**
 * Determines what the operator would do if the given objects were applied. Runs the operator's own reconcilers on an
 * in-memory copy of the cluster, with read-only access to the CNFs.
 */
export async function planFor(options: PlanOptions): Promise<PlanReport> {
  const { clock = systemClock, live } = options;
  const composites: readonly CompositeKind[] = compositeKinds;
  const kinds: readonly CnfKind[] = ruleKinds;
  const fork = new ForkedCluster(
    live,
    [...kinds, ...composites].map(({ kind }) => kind),
    clock,
  );
  const purposes = new Set(options.purpose === undefined ? [] : [options.purpose]);
  const resources: { resource: string; action: Applied | "delete" }[] = [];
  const refused: PlannedProblem[] = [];
  const { refusalOf = async () => undefined, deletions = [] } = options;
  /** Adds a write to the plan unless the API server would reject it. */
  const add = async (
    kind: DefinedKind,
    key: ObjectKey,
    write: () => Promise<Applied | "delete">,
    object?: KubeObject,
  ): Promise<void> => {
    const resource = `${kind.kind} ${key}`;
    const before = await fork.client.get(kind, key).catch(ignoreNotFound);
    const action = await write();
    const written = object && (await fork.client.get(kind, key));
    const after = before ? written && withMetadataOf(before, written) : object;
    const message = action === "unchanged" ? undefined : await refusalOf({ kind, before, after });
    if (message === undefined) resources.push({ resource, action });
    else {
      await fork.restore(kind, key, before);
      refused.push({ resource, type: "refused", message });
    }
    for (const { metadata } of [...(object ? [object] : []), ...(before ? [before] : [])]) {
      const purpose = metadata.labels?.[purposeLabel];
      if (purpose !== undefined && options.purpose === undefined) purposes.add(purpose);
    }
  };
  for (const { kind, object } of options.objects)
    await add(kind, keyOf(object), () => fork.apply(kind, object), object);
  for (const { kind, key } of deletions)
    await add(kind, key, async () => {
      await fork.client.delete(kind, key);
      return "delete";
    });
  const run = new PlanRun(options, fork, clock);
  try {
    await run.expand(purposes);
    await run.apply(purposes);
    const { cnfs, problems } = await run.report(purposes);
    const unlabelled = options.objects.filter(({ object: { metadata } }) => !metadata.labels?.[purposeLabel]);
    return {
      resources: [...resources, ...(await run.childrenChanged())],
      cnfs,
      problems: [...refused, ...problems, ...unlabelled.map(withoutPurpose)],
    };
  } finally {
    await run.close();
  }
}

/** Returns an object as the server has to get it to replace the stored one. */
const withMetadataOf = ({ metadata }: DeepReadonly<KubeObject>, after: DeepReadonly<KubeObject>): KubeObject => {
  const { resourceVersion = "", generation = 0 } = metadata;
  return structuredClone({ ...after, metadata: { ...after.metadata, resourceVersion, generation } }) as KubeObject;
};

const withoutPurpose = ({ kind, object }: PlannedObject): PlannedProblem => ({
  resource: `${kind.kind} ${keyOf(object)}`,
  type: "other",
  message: `it has no label ${purposeLabel}, so it does not configure a CNF`,
});

interface PlannedRule {
  readonly kind: CnfKind;
  readonly rule: DeepReadonly<RuleObject>;
}

interface PlannedPlace {
  readonly purpose: string;
  readonly cnf: Cnf;
}

class PlanRun {
  readonly #options: PlanOptions;
  readonly #fork: ForkedCluster;
  readonly #clock: Clock;
  readonly #cnfs = new Map<string, PlannedCnf>();
  readonly #pool: SessionPool;
  readonly #secrets: RuleSecrets;
  readonly #reconcilers: ReadonlyMap<CnfKind, RuleReconciler>;
  readonly #names: Names;
  /** Children of composites before the plan, as text, keyed by resource. */
  readonly #children = new Map<string, string>();
  /** Rules before they are reconciled, including those that the plan deletes. */
  #initial: readonly PlannedRule[] = [];
  #places: ReadonlyMap<string, PlannedPlace> = new Map();
  /** How changes reach each pod, by its uid. */
  #podRules: ReadonlyMap<string, PodRules> = new Map();
  /** Resources whose last change was rolled back, by uid. */
  #holds: ReadonlyMap<string, PlannedHold> = new Map();

  constructor(options: PlanOptions, fork: ForkedCluster, clock: Clock) {
    this.#options = options;
    this.#fork = fork;
    this.#clock = clock;
    const { scope, endpoint, connect, secretCache } = options;
    this.#secrets = new RuleSecrets(secretCache ? { secretCache } : {});
    this.#pool = new SessionPool({
      reader: fork.client,
      connect: (to, pod) => {
        const cnf = new PlannedCnf(connect(to, pod));
        this.#cnfs.set(pod.metadata.uid ?? "", cnf);
        return cnf;
      },
      endpoint,
      ...(secretCache ? { secrets: secretCache } : {}),
      gate: { submit: (access, change) => this.#submit(access, change) },
      session: { clock, ...session },
    });
    const waitingRules = new WaitingRules();
    const effects = new Effects({ kinds: ruleKinds, scope, tunnels: new TunnelLog(), trigger: () => {}, clock });
    const shared = { kinds: ruleKinds, pool: this.#pool, waitingRules, scope, secrets: this.#secrets, effects, clock };
    const kinds: readonly CnfKind[] = ruleKinds;
    this.#reconcilers = new Map(kinds.map((kind) => [kind, new RuleReconciler({ kind, ...shared })]));
    this.#names = new Names({ resolve: clusterNames(fork.client, options.resolve), clock });
  }

  /** Expands the composites into their children. */
  async expand(purposes: ReadonlySet<string>): Promise<void> {
    const { scope, endpoint } = this.#options;
    await this.#noteChildren((resource, text) => void this.#children.set(resource, text));
    const kinds: readonly CompositeKind[] = compositeKinds;
    for (const kind of kinds) {
      const reconciler = new CompositeReconciler({
        kind,
        names: this.#names,
        scope,
        endpoint,
        checkIntervalMs: 1,
        clock: this.#clock,
      });
      for (const { metadata } of await this.#fork.client.list(kind.kind))
        if (purposes.has(metadata.labels?.[purposeLabel] ?? ""))
          await reconciler.reconcile(keyOf({ metadata }), this.#context);
    }
  }

  /** Returns the children that the composites create, change and delete. */
  async childrenChanged(): Promise<readonly PlanReport["resources"][number][]> {
    const changed: PlanReport["resources"][number][] = [];
    const left = new Set(this.#children.keys());
    await this.#noteChildren((resource, text) => {
      const before = this.#children.get(resource);
      left.delete(resource);
      if (before !== text) changed.push({ resource, action: before === undefined ? "create" : "change" });
    });
    return [...changed, ...[...left].map((resource) => ({ resource, action: "delete" as const }))];
  }

  async #noteChildren(note: (resource: string, text: string) => void): Promise<void> {
    const kinds: readonly CompositeKind[] = compositeKinds;
    for (const kind of new Set(kinds.flatMap(({ owns }) => owns)))
      for (const { metadata, spec } of await this.#fork.client.list(kind)) {
        const owner = metadata.ownerReferences?.find(({ controller }) => controller);
        if (owner && !metadata.deletionTimestamp)
          note(`${kind.kind} ${keyOf({ metadata })} of ${owner.kind} ${owner.name}`, JSON.stringify(spec));
      }
  }

  /** Reconciles all rules with these purposes at once, so that the changes for each pod form one batch. */
  async apply(purposes: ReadonlySet<string>): Promise<void> {
    this.#initial = await this.#rules(purposes);
    await this.#hold(purposes);
    for (let round = 0; round < rounds; round++) {
      const open = (await this.#rules(purposes)).filter(
        ({ rule }) => round === 0 || rule.status?.state !== State.inSync,
      );
      if (open.length === 0) break;
      await Promise.all(
        open.map(({ kind, rule }) => this.#reconcilers.get(kind)?.reconcile(keyOf(rule), this.#context)),
      );
    }
    for (const { kind, rule } of await this.#rules(purposes))
      await this.#reconcilers.get(kind)?.refreshEffect(keyOf(rule), this.#context);
  }

  /** Determines what keeps changes from the pods. Everything depends on the statuses before rules are reconciled. */
  async #hold(purposes: ReadonlySet<string>): Promise<void> {
    const { live, scope, soakMs = 60_000, confirmChangesMs = 0 } = this.#options;
    const { client } = this.#fork;
    this.#places = await this.#cnfsOf(this.#initial);
    const gate = new StageGate({
      reader: client,
      kinds: ruleKinds,
      scope,
      soakMs,
      trigger: () => {},
      clock: this.#clock,
    });
    const podRules: [string, PodRules][] = [];
    for (const { cnf } of this.#places.values())
      podRules.push(...(await podRulesOf(client, cnf, gate, confirmChangesMs)));
    this.#podRules = new Map(podRules);
    const places = [...this.#places.values()];
    this.#holds = await holdsOf(live, client, purposes, ({ metadata }) =>
      places.some(
        ({ purpose, cnf: { pods } }) =>
          purpose === metadata.labels?.[purposeLabel] &&
          pods.some((pod) => this.#podRules.get(pod.metadata.uid ?? "")?.mayHold),
      ),
    );
  }

  /** Requests a change from a pod, unless its resource is held. Then, the pod keeps its object. */
  async #submit({ pod, session }: PodAccess, change: Change): Promise<Effect> {
    const { uid = "" } = pod.metadata;
    const rules = this.#podRules.get(uid);
    if (rules?.problem) throw rules.problem;
    const hold = this.#holds.get(change.revision?.uid ?? "");
    if (!hold || hold.endedBy !== undefined || !rules?.mayHold) return session.submit(change);
    const objects = await this.#cnfs.get(uid)?.collection(change.kind.path).list();
    const kept = objects?.find((object) => nameOf(object) === change.name);
    const { appliedOrder } = hold;
    const order = change.order && appliedOrder !== undefined ? { ...change.order, order: appliedOrder } : change.order;
    if (kept && change.revision) await session.submit(change.revision.restore(kept, order, true));
    throw new RolledBackError(hold.message);
  }

  get #context() {
    return { client: this.#fork.client, log: silentLogger, signal: new AbortController().signal };
  }

  async #rules(purposes: ReadonlySet<string>): Promise<readonly PlannedRule[]> {
    const found: PlannedRule[] = [];
    for (const kind of this.#reconcilers.keys())
      for (const purpose of purposes)
        for (const rule of await this.#fork.client.list(kind.kind, { fields: { [byPurpose]: purpose } }))
          found.push({ kind, rule });
    return found;
  }

  async report(purposes: ReadonlySet<string>): Promise<Pick<PlanReport, "cnfs" | "problems">> {
    const rules = await this.#rules(purposes);
    const secrets = rules.flatMap(({ kind, rule }) => this.#secrets.of(kind, rule));
    const problems: PlannedProblem[] = [];
    for (const { kind, rule } of rules) problems.push(...(await this.#problemsOf(kind, rule, secrets)));
    const composites: readonly CompositeKind[] = compositeKinds;
    // A composite that only waits for its children has no problem of its own.
    for (const { kind } of composites)
      for (const { metadata, status } of await this.#fork.client.list(kind))
        if (
          purposes.has(metadata.labels?.[purposeLabel] ?? "") &&
          status?.message &&
          !/^waiting for /.test(status.message)
        )
          problems.push({
            resource: `${kind.kind} ${keyOf({ metadata })}`,
            type: "waiting",
            message: masked(status.message, secrets),
          });
    return {
      cnfs: [...this.#places].map(([name, { purpose, cnf }]) => ({
        purpose,
        cnf: name,
        pods: cnf.pods.map((pod) => this.#podOf(pod, this.#initial, secrets)),
      })),
      problems: [...problems, ...this.#heldProblems(secrets)],
    };
  }

  /** Returns the resources that are held, and those that are tried again. */
  #heldProblems(secrets: readonly (string | undefined)[]): readonly PlannedProblem[] {
    return [...this.#holds.values()].map(({ resource, message, endedBy }): PlannedProblem => {
      const reason = masked(message, secrets);
      if (endedBy === undefined) return { resource, type: "held", message: reason };
      return {
        resource,
        type: "retried",
        message: `No longer held, because the plan changes ${endedBy}. Previous reason: ${reason}`,
      };
    });
  }

  async #cnfsOf(rules: readonly PlannedRule[]): Promise<ReadonlyMap<string, PlannedPlace>> {
    const cnfs = new Map<string, PlannedPlace>();
    for (const place of new Set(
      rules.map(({ rule: { metadata } }) => JSON.stringify([metadata.labels?.[purposeLabel], metadata.namespace])),
    )) {
      const [purpose, namespace]: [string, string] = JSON.parse(place);
      const { scope } = this.#options;
      const cnf = await findCnf(this.#fork.client, purpose, { namespace, scope }).catch(() => undefined); // a problem of its rules
      if (cnf) cnfs.set(keyOf(cnf.deployment), { purpose, cnf });
    }
    return cnfs;
  }

  async #problemsOf(
    kind: CnfKind,
    { metadata, status }: DeepReadonly<RuleObject>,
    secrets: readonly (string | undefined)[],
  ): Promise<readonly PlannedProblem[]> {
    const resource = `${kind.kind.kind} ${keyOf({ metadata })}`;
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    if (status?.state !== State.inSync) {
      if (ready?.reason === Reason.paused || ready?.reason === Reason.rolledBack) return [];
      const type =
        ready?.reason === Reason.nameTaken ? "conflict" : ready?.reason === Reason.invalid ? "other" : "waiting";
      return [{ resource, type, message: masked(status?.message ?? "", secrets) }];
    }
    const effective = effectiveIn(status);
    if (effective?.status !== "False") return [];
    const before = await this.#options.live.get(kind.kind, keyOf({ metadata })).catch(ignoreNotFound);
    const known = effectiveIn(before?.status);
    if (known?.status === "False" && known.message === effective.message) return [];
    const type = effective.reason === Reason.shadowed ? "shadowed" : "other";
    return [{ resource, type, message: masked(effective.message, secrets) }];
  }

  #podOf(pod: DeepReadonly<Pod>, rules: readonly PlannedRule[], secrets: readonly (string | undefined)[]): PlannedPod {
    const cnf = this.#cnfs.get(pod.metadata.uid ?? "");
    const { stage, waits, confirmation } = this.#podRules.get(pod.metadata.uid ?? "") ?? {};
    const none = {
      ...{ pod: keyOf(pod), changes: [], rewrites: 0, restarts: [] },
      ...(stage === undefined ? {} : { stage }),
      ...(confirmation
        ? {
            confirmation: { seconds: confirmation.waitMs / 1_000, probes: confirmation.probes.map(({ text }) => text) },
          }
        : {}),
    };
    if (!cnf) return { ...none, unreachable: "the operator does not, or cannot, connect to the pod" };
    if (cnf.failure !== undefined) return { ...none, unreachable: masked(messageOf(cnf.failure), secrets) };
    const kinds: readonly CnfKind[] = ruleKinds;
    const owners = new Map(
      rules.map((planned) => [`${planned.kind.path} ${planned.kind.nameOnCnf(planned.rule.metadata.name)}`, planned]),
    );
    const used = new Set<PlannedWait>();
    /** Returns what a resource waits for before it reaches the pod. */
    const waitOf = ({ kind, rule }: PlannedRule): PlannedWait | undefined => {
      if (stage === undefined || !isDueOn(stage, kind, rule)) return undefined;
      const wait = waits?.[isBeingDeleted(rule) ? "backward" : "forward"];
      if (wait) used.add(wait);
      return wait;
    };
    const changes = [...cnf.before].flatMap(([path, before]) => {
      const kind = kinds.find((each) => each.path === path);
      return kind ? changesAt(kind, before, cnf.after.get(path) ?? [], secrets) : [];
    });
    const named = changes.map((change): PlannedChange => {
      const owner = owners.get(`${change.path} ${change.name}`);
      if (!owner) return change;
      const wait = waitOf(owner);
      const resource = `${owner.kind.kind.kind} ${keyOf(owner.rule)}`;
      return { ...change, resource, ...(wait ? { waitsForStage: wait.forStage } : {}) };
    });
    const writes = [...cnf.writes.values()].reduce((sum, each) => sum + each, 0);
    return {
      ...none,
      changes: named,
      rewrites: Math.max(0, writes - changes.length),
      restarts: [...new Set(cnf.restarts)],
      ...(used.size > 0 ? { waits: [...used] } : {}),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Compares the objects of a collection before and after. */
function changesAt(
  kind: CnfKind,
  before: readonly UciObject[],
  after: readonly UciObject[],
  secrets: readonly (string | undefined)[],
): readonly PlannedChange[] {
  const { path } = kind;
  const old = new Map(before.map((object) => [nameOf(object), object]));
  const now = new Map(after.map((object) => [nameOf(object), object]));
  const displaced = kind.precedence ? displacedIn([...old.keys()], [...now.keys()]) : new Set<string>();
  const of = (action: PlannedChange["action"], name: string, message?: string): PlannedChange => ({
    action,
    path,
    name,
    ...(message ? { message } : {}),
  });
  return [
    ...[...now].flatMap(([name, object]) => {
      const stored = old.get(name);
      if (!stored) return [of("create", name)];
      if (stored !== object && !sameOnCnf(kind, object, stored, undefined))
        return [of("change", name, differenceOf(stored, object, secrets))];
      return displaced.has(name) ? [of("move", name)] : [];
    }),
    ...[...old.keys()].filter((name) => !now.has(name)).map((name) => of("delete", name)),
  ];
}

const maxValueLength = 200;

/** Returns the fields that differ, with their values, without secrets. */
function differenceOf(before: UciObject, after: UciObject, secrets: readonly (string | undefined)[]): string {
  const shown = (object: UciObject, field: string): string => {
    const { [field]: clean }: Readonly<Record<string, unknown>> = {
      ...Object(maskedStatus({ [field]: object[field] ?? null }, secrets)),
    };
    return masked(JSON.stringify(clean ?? null), secrets, maxValueLength);
  };
  return Object.keys(after)
    .filter(
      (field) =>
        !sameOnCnf({ garbled: [], omitted: [], listKey: "name" }, { [field]: after[field] ?? null }, before, undefined),
    )
    .map((field) => `${field}: ${shown(before, field)} to ${shown(after, field)}`)
    .join("; ");
}
