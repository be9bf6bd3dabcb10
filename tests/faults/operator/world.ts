import type { Clock, Timer } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { ask, reviewOfOwn } from "./checks/admissions.ts";
import { noteStages } from "./checks/stages.ts";
import { Watchman } from "./checks/watchman.ts";
import { ApiFaults } from "./cluster/api-faults.ts";
import { secrets } from "./cluster/api-resource.ts";
import { Cluster } from "./cluster/cluster.ts";
import { accountSecret, elsewhere, site, Workloads } from "./cluster/workloads.ts";
import { Dice } from "./dice.ts";
import { CnfNetwork } from "./network/cnf-network.ts";
import { Dns } from "./network/dns.ts";
import { OperatorProcess, operatorNamespace } from "./operator-process.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { putRoles } from "./users/buckets.ts";
import { keyOf } from "./users/keys.ts";

export interface WorldOptions {
  readonly seed: number;
  /** The operator's flag. */
  readonly cnfNamespaces: "same" | "*";
  /** True if changes to CNFs are confirmed with probes. Default false. */
  readonly confirms?: boolean;
  /** True if the CNFs have stages. Default false. */
  readonly isStaged?: boolean;
  readonly bug: () => PlantedBug;
  readonly trace: (line: string) => void;
  /** Also trace log lines with this text, and requests to CNFs. Default: none. */
  readonly look?: string | undefined;
}

/** Interval at which the processes are checked. */
const beatMs = 5_000;
/** Delay until a process that ended is started again. */
const restartMs = 3_000;

/** The stages of the CNFs, by purpose. The CNFs of other purposes have none. */
const stages: Readonly<Record<string, string>> = { edge: "0", hub: "1" };

/** A cluster with CNFs, users, and one or two processes of the operator. */
export class World {
  readonly clock: FakeClock;
  readonly store: Cluster;
  readonly api: ApiFaults;
  readonly network: CnfNetwork = new CnfNetwork((what) => this.#show(what));
  readonly dns: Dns = new Dns();
  readonly workloads: Workloads;
  readonly watchman: Watchman;
  readonly options: WorldOptions;
  readonly #dice: Dice;
  /** Time of the last change of each object, by UID, in a world with stages. */
  readonly changedMs = new Map<string, number>();
  /** UIDs of the rules that a user has released, until they begin at their next stage. */
  readonly released = new Set<string>();
  processes: OperatorProcess[] = [];
  /** All current and former processes. */
  readonly allProcesses: OperatorProcess[] = [];
  /** Desired number of processes. */
  replicas = 1;
  /** True while the probes of all CNFs fail. */
  isCut = false;
  /** The password of new CNF pods. */
  password: string = keyOf("root-0");

  private constructor(options: WorldOptions, clock: FakeClock, store: Cluster) {
    this.options = options;
    this.clock = clock;
    this.store = store;
    this.api = new ApiFaults(clock);
    this.#dice = new Dice(options.seed);
    this.watchman = new Watchman(store, clock);
    this.workloads = new Workloads({
      store,
      network: this.network,
      clock,
      password: () => this.password,
      stageOf: (purpose) => (options.isStaged ? stages[purpose] : undefined),
    });
    if (options.isStaged)
      store.onChange = (before, after) => {
        noteStages(this, before, after);
        this.changedMs.set(after.metadata.uid ?? "", clock.now());
      };
  }

  /** Starts the cluster, without a process of the operator. */
  static async start(options: WorldOptions): Promise<World> {
    const clock = new FakeClock();
    const store = await Cluster.start(clock, options.seed, [site, elsewhere, operatorNamespace]);
    const world = new World(options, clock, store);
    await putRoles(store);
    await world.putSecret(accountSecret, { password: world.password });
    for (const name of ["psk-a", "psk-b"]) await world.putSecret(name, { psk: keyOf(`${name}-0`) });
    await world.workloads.deploy("edge", "edge", 2);
    await world.workloads.deploy("hub", "hub", 1);
    for (const app of ["shop", "till"]) await world.workloads.addApplicationPod(app);
    return world;
  }

  log(what: string): void {
    this.options.trace(`${(this.clock.monotonic() / 1_000).toFixed(3).padStart(9)} s  ${what}`);
  }

  /** Writes a Secret in both namespaces. */
  async putSecret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    );
    for (const namespace of [site, elsewhere])
      if (this.store.find(secrets, { namespace, name })) await this.store.patch(secrets, { namespace, name }, { data });
      else await this.store.create(secrets, namespace, { metadata: { name }, data });
  }

  startProcess(): void {
    const process = new OperatorProcess({
      store: this.store,
      faults: this.api,
      network: this.network,
      clock: unhurried(this.clock),
      latencyMs: () => 1 + this.#dice.below(12),
      resolve: this.dns.resolve,
      cnfNamespaces: this.options.cnfNamespaces,
      confirms: this.options.confirms ?? false,
      connectTcp: async () => {
        if (this.isCut) throw new Error("no route to host");
      },
      onCall: (call, body) => {
        this.watchman.called(call, body);
        const review = reviewOfOwn(this, call, body);
        const [first] = this.processes;
        if (review && first) ask(this, first, review);
        if (call.method !== "GET")
          this.#show(`${call.method} ${call.resource.plural}/${call.name} ${JSON.stringify(body)}`);
      },
      onLine: (line) => {
        this.watchman.logged(line);
        this.#show(line);
      },
      bug: this.options.bug(),
    });
    this.processes.push(process);
    this.allProcesses.push(process);
  }

  /** Advances time, and restarts processes that have ended. */
  async advance(ms: number): Promise<void> {
    const endMs = this.clock.monotonic() + ms;
    await this.clock.advance(Math.min(beatMs, ms));
    for (;;) {
      await this.#supervise();
      const leftMs = endMs - this.clock.monotonic();
      if (leftMs <= 0) return;
      await this.clock.advance(Math.min(beatMs, leftMs));
    }
  }

  #show(what: string): void {
    const { look } = this.options;
    if (look !== undefined && what.includes(look)) this.log(`    ${what.trimEnd()}`);
  }

  async #supervise(): Promise<void> {
    await this.store.collectGarbage();
    for (const process of this.processes)
      if (process.ended?.error !== undefined && !process.isKilled) this.watchman.ended(process.ended.error);
    this.processes = this.processes.filter(({ ended, isKilled }) => ended === undefined && !isKilled);
    while (this.processes.length + this.#starting < this.replicas) {
      this.#starting++;
      this.clock.after(restartMs, () => {
        this.#starting--;
        if (this.processes.length < this.replicas) this.startProcess();
      });
    }
  }

  #starting = 0;

  /** Stops all processes and the API server. */
  async end(): Promise<void> {
    this.replicas = 0;
    for (const each of this.processes) each.stop();
    await this.clock.advance(60_000);
    await this.store.stop();
  }
}

const meterMs = 500;
const noTimer: Timer = { cancel: () => {} };

/** Slows down the metrics of queues, which update twice a second. That would cost more than everything else, and nobody reads them. */
function unhurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback, options) => (options?.unref && ms === meterMs ? noTimer : clock.after(ms, callback)),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
