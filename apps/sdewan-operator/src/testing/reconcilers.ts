import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { ConfirmationStore } from "../confirm/confirmation-store.ts";
import { Confirmations } from "../confirm/confirmations.ts";
import { type ConnectTcp, Probes } from "../confirm/probes.ts";
import { Effects } from "../effect/effects.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { CnfRecords } from "../metrics/cnf-records.ts";
import { meteredApi } from "../metrics/metered-api.ts";
import { TunnelLog } from "../reporting/tunnel-log.ts";
import type { DriftPolicy } from "../rules/drift-policy.ts";
import { PodFailures } from "../rules/pod-failures.ts";
import { RuleReconciler } from "../rules/rule-reconciler.ts";
import { StageGate } from "../rules/stage-gate.ts";
import { WaitingRules } from "../rules/waiting-rules.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { FakeCnf } from "./fake-cnf.ts";
import { putCnf } from "./fixtures.ts";
import { recordedEvents } from "./recorded-events.ts";

/** Metadata of an object for the CNF created by {@link startReconcilers}. */
export const metadata = { name: "a", namespace: "default", labels: { sdewanPurpose: "edge7" } };

export interface ReconcilersOptions {
  /** Value of `--cnf-namespaces`. Default: any namespace. */
  readonly cnfNamespaces?: string;
  /** Default `repair`. */
  readonly drift?: DriftPolicy;
  /** Time for confirmations, in milliseconds. Default 0, which disables confirmation. */
  readonly confirmChangesMs?: number;
  /** Maximum size of the stored sets of a CNF. Default: the usual one. */
  readonly maxSetBytes?: number;
  /** Opens the connections for TCP probes. By default, all succeed. */
  readonly connectTcp?: ConnectTcp;
  /** Soak time of rollouts in stages. Default: changes reach all stages at once. */
  readonly soakMs?: number;
  /** Cluster as the API server has it. Default: as the reconcilers' cache has it. */
  readonly live?: FakeCluster;
  /** State of an earlier process, with which the new process starts. */
  readonly before?: { readonly cluster: FakeCluster; readonly cnfs: Map<string, FakeCnf>; readonly clock?: FakeClock };
}

/**
 * Creates the reconcilers for all rule kinds in a fake cluster. If addresses are given, the cluster contains a CNF with
 * fake pods at these addresses.
 */
export function startReconcilers(addresses?: readonly (string | undefined)[], options: ReconcilersOptions = {}) {
  const cluster = options.before?.cluster ?? new FakeCluster();
  const clock = options.before?.clock ?? new FakeClock();
  const cnfs = options.before?.cnfs ?? new Map<string, FakeCnf>();
  const connect = ({ url }: { readonly url: string }): FakeCnf => {
    const cnf = cnfs.get(url) ?? new FakeCnf();
    cnfs.set(url, cnf);
    return cnf;
  };
  const records = new CnfRecords();
  const failures = new PodFailures(clock);
  const waitingRules = new WaitingRules();
  const trigger = waitingRules.trigger.bind(waitingRules);
  const triggered: string[] = [];
  const { reporter, events, reasons } = recordedEvents();
  const scope = CnfScope.from(options.cnfNamespaces ?? "*");
  const { connectTcp = async () => {} } = options;
  const confirmations = new Confirmations({
    reader: cluster.client,
    store: new ConfirmationStore({
      client: cluster.client,
      live: cluster.client,
      namespace: "sdewan-system",
      logger: silentLogger,
      maxBytes: options.maxSetBytes,
    }),
    probes: new Probes({ reader: cluster.client, scope, clock, connectTcp }),
    defaultWaitMs: options.confirmChangesMs ?? 0,
    intervalMs: 30_000,
    trigger: (origin) => {
      triggered.push(`${origin.kind} ${origin.key}`);
      trigger(origin);
    },
    ...{ reporter, clock, logger: silentLogger },
  });
  const pool = new SessionPool({
    reader: cluster.client,
    gate: confirmations,
    connect: (endpoint, pod) => meteredApi(connect(endpoint), records.recordOf(pod), clock),
    endpoint: { scheme: "https" },
    session: { clock },
  });
  const { drift = "repair" } = options;
  const drifts: string[] = [];
  const driftMetrics = { found: (kind: string, policy: DriftPolicy) => void drifts.push(`${kind} ${policy}`) };
  const secrets = new RuleSecrets();
  const signal = new AbortController().signal;
  const tunnels = new TunnelLog();
  const effects = new Effects({ kinds: ruleKinds, scope, tunnels, trigger, reporter, clock });
  if (addresses) putCnf(cluster, "edge7", addresses);
  const { soakMs } = options;
  const gateOptions = { reader: cluster.client, kinds: ruleKinds, scope, trigger, reporter, clock };
  const stageGate = soakMs === undefined ? undefined : new StageGate({ ...gateOptions, soakMs });
  const reconcilers = new Map(
    ruleKinds.map((kind) => [
      kind.kind.kind as string,
      new RuleReconciler({
        kind,
        kinds: ruleKinds,
        live: (options.live ?? cluster).client,
        pool,
        waitingRules,
        scope,
        secrets,
        drift,
        driftMetrics,
        reporter,
        failures,
        effects,
        stageGate,
        clock,
      }),
    ]),
  );
  const refreshed: string[] = [];
  for (const kind of ruleKinds)
    effects.writeWith(kind, async (key) => {
      refreshed.push(`${kind.kind.kind} ${key}`);
      await reconcilers.get(kind.kind.kind)?.refreshEffect(key, { client: cluster.client, log: silentLogger });
    });
  /** Begins to reconcile an object, without advancing the clock. */
  const begin = (object: KubeObject) => {
    const reconciler = reconcilers.get(object.kind);
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    return reconciler?.reconcile(key, { client: cluster.client, log: silentLogger, signal });
  };
  const reconcile = async (object: KubeObject) => {
    const done = begin(object);
    await clock.advance(5_000);
    return done;
  };
  const cnf = (address: string): FakeCnf => connect({ url: `https://${address}` });
  return {
    cluster,
    clock,
    begin,
    reconcile,
    cnf,
    cnfs,
    pool,
    confirmations,
    /** Resources that the end of a hold triggered, as `<kind> <key>`. */
    triggered,
    waitingRules,
    events,
    reasons,
    drifts,
    records,
    failures,
    secrets,
    scope,
    tunnels,
    effects,
    stageGate,
    /** Rules whose effect was determined again, as `<kind> <key>`. */
    refreshed,
  };
}
