import { Secret } from "@kubewright/client/kinds";
import { systemClock, untilAborted } from "@kubewright/clock";
import { Manager } from "@kubewright/manager";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { CniInterface } from "../api/cni-interface.ts";
import { CnfScope, ownNamespace } from "../cnf/cnf-scope.ts";
import { type CnfConnectionOptions, connectTo } from "../cnf/connect.ts";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import { addIndexes } from "../cnf/indexes.ts";
import { SecretCache, SecretMetadata, withoutContents } from "../cnf/secret-cache.ts";
import { Patrol, type PatrolOptions } from "../cnf/session/patrol.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { ConfirmationStore } from "../confirm/confirmation-store.ts";
import { Confirmations } from "../confirm/confirmations.ts";
import { Probes } from "../confirm/probes.ts";
import { Effects } from "../effect/effects.ts";
import { addPacketIndexes } from "../effect/shadows.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { CnfMasks } from "../masking/cnf-masks.ts";
import { secretsOfPod } from "../masking/secrets-of-pod.ts";
import type { OperatorView } from "../panels/operator-view.ts";
import { planFor } from "../plan/plan.ts";
import { pooledReads } from "../plan/planned-cnf.ts";
import { CnfEvents } from "../reporting/cnf-events.ts";
import { EventReporter } from "../reporting/event-reporter.ts";
import { TunnelLog } from "../reporting/tunnel-log.ts";
import { Names } from "../resolve/names.ts";
import type { DriftMetrics } from "../rules/drift-policy.ts";
import { PodFailures } from "../rules/pod-failures.ts";
import { StageGate } from "../rules/stage-gate.ts";
import { WaitingRules } from "../rules/waiting-rules.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import { addSecretIndexes } from "../secrets/triggers.ts";
import { roleKinds } from "../webhooks/role-grants.ts";
import { compositeControllers } from "./composite-controllers.ts";
import type { Definitions } from "./definitions.ts";
import { addInterfaceController } from "./interface-controller.ts";
import { managerOptions } from "./manager-options.ts";
import { Measurements } from "./measurements.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { addChecks, definitionsOf, onceServed, type Starters } from "./readiness.ts";
import { ruleControllers } from "./rule-controllers.ts";
import { ServedCache } from "./served-cache.ts";
import { addStatusPoll } from "./status-poll.ts";
import { addWebhooks } from "./webhook-server.ts";

/**
 * Runs the operator until the signal aborts.
 *
 * @throws {Error} if `cnfNamespaces` is not valid
 * @throws {KubeConfigError} if no cluster connection is configured
 * @throws the error that ended the operator early, such as an address in use or a lost Lease
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager(managerOptions(options));
  const { pool, definitions, operatorView, starters } = setupOperator(manager, options);
  manager.add(onceServed(manager, definitions, starters));
  options.prepare?.(manager, operatorView);
  // Running reconciles wait for their CNFs, and the manager waits for these reconciles.
  const close = (): void => void pool.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await manager.run(signal);
  } finally {
    signal.removeEventListener("abort", close);
    await pool.close();
  }
}

/** The result of {@link setupOperator}. */
interface SetUp {
  readonly pool: SessionPool;
  readonly definitions: Definitions;
  readonly operatorView: OperatorView;
  /** Functions that add the controllers, keyed by kind. */
  readonly starters: Starters;
  /** Adds all controllers at once, for a cluster that is known to serve all kinds. */
  readonly work: () => void;
}

/**
 * Sets up the entire operator, except the controllers, on a manager with {@link managerOptions}. Each controller can be
 * started once its kind is served.
 *
 * @throws {Error} if `cnfNamespaces` is not valid
 */
export function setupOperator(manager: Manager, options: OperatorOptions): SetUp {
  const {
    clock = systemClock,
    checkIntervalMs = 30_000,
    statusNamespace = "sdewan-system",
    drift = "repair",
    soakMs = 60_000,
  } = options;
  const { logger } = manager;
  const scope = CnfScope.from(options.cnfNamespaces ?? ownNamespace.text);
  declareNeeds(manager, statusNamespace);
  const endpoint: EndpointDefaults = options.cnf ?? { scheme: "https" };
  addWebhooks(manager, options.webhooks, { scope, endpoint });
  manager.cache.configure(SecretMetadata, {
    transform: withoutContents,
    ...(scope.namespaces ? { namespaces: scope.namespaces } : {}),
  });
  addIndexes(manager.cache, ruleKinds);
  addSecretIndexes(manager.cache, ruleKinds);
  addPacketIndexes(manager.cache, ruleKinds);
  const secretCache = new SecretCache({ live: manager.apiReader, clock });
  const secrets = ruleSecrets(manager, secretCache);
  const masks = new CnfMasks({ kinds: ruleKinds, secrets, secretCache, endpoint, clock });
  const measurements = new Measurements(manager, scope);
  const reporter = new EventReporter(manager.recorderFor("sdewan-operator"));
  const tunnels = new TunnelLog();
  const failures = new PodFailures(clock);
  const cnfEvents = new CnfEvents({ reader: manager.client, reporter, scope, log: tunnels, clock });
  const waitingRules = new WaitingRules();
  const trigger = waitingRules.trigger.bind(waitingRules);
  const confirmations = new Confirmations({
    reader: manager.client,
    store: new ConfirmationStore({
      client: manager.client,
      live: manager.apiReader,
      namespace: statusNamespace,
      logger,
    }),
    probes: new Probes({ reader: manager.client, scope, clock, connectTcp: options.connectTcp }),
    defaultWaitMs: options.confirmChangesMs ?? 0,
    intervalMs: checkIntervalMs,
    ...{ trigger, reporter, clock, logger },
  });
  manager.add(confirmations);
  const pool = new SessionPool({
    reader: manager.client,
    connect: (endpoint, pod) =>
      measurements.metered(connectTo(endpoint, logger.child({ cnf: endpoint.url }), connectionOptions(options)), pod),
    endpoint,
    secrets: secretCache,
    gate: confirmations,
    logger,
    session: { clock, missing: trigger, ...options.session },
    restarted: (pod) => cnfEvents.restarted(pod),
  });
  const effects = new Effects({ kinds: ruleKinds, scope, tunnels, trigger, reporter, clock });
  const stageGate = new StageGate({
    reader: manager.client,
    kinds: ruleKinds,
    scope,
    soakMs,
    trigger,
    reporter,
    clock,
  });
  addStages(manager, stageGate);
  const names = new Names({ clock, ...(options.resolve ? { resolve: options.resolve } : {}) });
  const definitions = definitionsOf(manager, { intervalMs: checkIntervalMs, clock, logger });
  if (manager.cache instanceof ServedCache) manager.cache.follow(definitions);
  const rules = {
    live: manager.apiReader,
    pool,
    waitingRules,
    scope,
    secrets,
    masks,
    drift,
    driftMetrics: driftMetrics(manager.metrics),
    reporter,
    failures,
    effects,
    stageGate,
    clock,
  };
  const operatorView: OperatorView = {
    reader: manager.cache,
    clock,
    scope,
    sessions: () => pool.sessions,
    recordOf: (uid) => measurements.recordOf(uid),
    tunnels,
    failures,
    secretsOfPod: (pod) => secretsOfPod(manager.cache, ruleKinds, endpoint, pod, secrets, secretCache),
    secretsOf: (kind, rule) => secrets.of(kind, rule),
    plan: (asked) =>
      planFor({
        ...asked,
        scope,
        endpoint,
        connect: (_endpoint, pod) => pooledReads(pool, pod),
        secretCache,
        resolve: async () => {
          throw Object.assign(new Error("the console resolves only names of Services; use sdewan-operator plan"), {
            code: "EAI_AGAIN",
          });
        },
        clock,
        confirmChangesMs: options.confirmChangesMs ?? 0,
        soakMs,
      }),
    leadership: () => manager.leadership,
  };
  const starters: Starters = new Map([
    ...ruleControllers(manager, rules),
    [CniInterface, () => addInterfaceController(manager, { pool, checkIntervalMs, scope, masks, reporter, clock })],
    ...compositeControllers(manager, definitions, { names, endpoint, scope, checkIntervalMs, reporter, clock }),
  ]);
  const intervalMs = checkIntervalMs;
  addStatusPoll(manager, {
    pool,
    scope,
    secrets,
    secretCache,
    namespace: statusNamespace,
    intervalMs,
    endpoint,
    masks,
    logger,
    cnfEvents,
    effects,
  });
  const onDrift = measurements.drifted.bind(measurements);
  const hideOf = masks.of.bind(masks, manager.client);
  const onOthers: PatrolOptions["onOthers"] = (pod, names) => cnfEvents.othersBetween(pod, names, hideOf);
  manager.add(
    new Patrol({ pool, reader: manager.client, intervalMs, trigger, onDrift, onOthers, hideOf, clock, logger }),
  );
  measurements.begin(pool, definitions);
  manager.add(definitions);
  addChecks(manager, definitions);
  const work = (): void => {
    for (const start of starters.values()) void start();
  };
  return { pool, definitions, operatorView, starters, work };
}

const connectionOptions = ({ cnfTimeouts, cnfTransport }: OperatorOptions): CnfConnectionOptions => ({
  ...cnfTimeouts,
  ...(cnfTransport ? { transport: cnfTransport } : {}),
});

/** Ends all waits together with the controllers, and counts them in the metrics of a manager. */
function addStages(manager: Manager, stageGate: StageGate): void {
  manager.add({
    group: "leaderElection",
    run: async (signal) => {
      await untilAborted(signal);
      stageGate.close();
    },
  });
  manager.metrics.gauge({
    name: "sdewan_stage_waiting",
    help: "Resources with a change or deletion that is waiting for another stage, by the stage that does not have it yet",
    labelNames: ["namespace", "stage"],
    collect: (of) => {
      for (const { namespace, stage, count } of stageGate.counts()) of(namespace, String(stage)).set(count);
    },
  });
}

/** Counts objects that were changed on a CNF in the metrics of a manager. */
function driftMetrics(metrics: Manager["metrics"]): DriftMetrics {
  const found = metrics.counter({
    name: "sdewan_drift_total",
    help: "Objects that others changed on a CNF, by kind and by the operator's action",
    labelNames: ["kind", "action"],
  });
  return { found: (kind, policy) => found(kind, policy === "repair" ? "repaired" : "reported").inc() };
}

const reads = ["get", "list", "watch"] as const;

/** Declares the permissions that the operator needs in addition to those of its controllers, for its roles. */
function declareNeeds(manager: Manager, statusNamespace: string): void {
  manager.defines(...apiKinds);
  // Finalizers, and the annotations that record what was applied.
  for (const kind of apiKinds) manager.needs(kind, ["patch"]);
  // Permissions for the children of composites.
  for (const kind of [CNFNAT, CNFRoute]) manager.needs(kind, ["create", "delete"]);
  manager.needs(CNFStatus, [...reads, "create"]);
  manager.needs(CNFStatus, ["patch"], { subResource: "status" });
  // The confirmed sets of CNFs, which contain keys.
  manager.needs(Secret, ["get", "list", "create", "patch", "delete"], { namespace: statusNamespace });
  // Permissions to find out which users may use a bucket.
  for (const kind of roleKinds) manager.needs(kind, reads);
}

/** Reads Secrets that resources refer to, and warns users who put keys into a spec. */
function ruleSecrets(manager: Manager, secretCache: SecretCache): RuleSecrets {
  const recorder = manager.recorderFor("sdewan-operator");
  return new RuleSecrets({
    secretCache,
    onClearText: (rule, fields) =>
      recorder.event(rule, {
        type: "Warning",
        reason: "ClearTextKey",
        note: fields
          .map(({ field, ref }) => `spec.${field} is readable by everyone who may read this object: use spec.${ref}`)
          .join("; "),
      }),
  });
}
