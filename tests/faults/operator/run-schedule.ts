import { type Random, systemRandom } from "@kubewright/clock";
import { SeededRandom } from "@kubewright/clock/testing";
import { wrongAdmissions } from "./checks/admissions.ts";
import { wrongComposites } from "./checks/composites.ts";
import { touchedOwn, wrongHoldings } from "./checks/holdings.ts";
import { wrongInterfaces } from "./checks/interfaces.ts";
import { wrongMetrics } from "./checks/metrics.ts";
import { wrongOrder } from "./checks/order.ts";
import { retryRolledBack, wronglyTried } from "./checks/roll-backs.ts";
import { shownKeys, wrongCnfStatus, wrongStatuses } from "./checks/statuses.ts";
import { Dice } from "./dice.ts";
import { heal, removeDangling } from "./heal.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { actions, type Schedule } from "./schedule.ts";
import { World } from "./world.ts";

export interface RunOptions {
  /** Creates the planted bug, anew for each process. Default: none. */
  readonly bug?: (() => PlantedBug) | undefined;
  /** Called with descriptions of actions. Default: none. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Also trace log lines with this text, and requests to CNFs. Default: none. */
  readonly look?: string | undefined;
  /** Virtual time within which the world must settle. Default 45 minutes. */
  readonly mostSettleMs?: number | undefined;
}

export interface Outcome {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  /** Number of times each action was possible. */
  readonly happened: ReadonlyMap<string, number>;
  /** Virtual time until the world settled. */
  readonly settledMs: number;
  readonly mostCnfCalls: number;
  readonly mostApiCalls: number;
}

/** Virtual time within which the world must settle after the faults: refusals are retried every five minutes, lasting drift less often. */
const usualSettleMs = 45 * 60_000;
const lookMs = 30_000;
/** After that, it must stay that way without writes. */
const quietMs = 120_000;
const mostCnfCallsInMinute = 3_000;
const mostApiCallsInMinute = 6_000;

/** Plays one schedule on a virtual clock and reports violations. */
export async function runSchedule(
  schedule: Schedule,
  { bug, trace, look, mostSettleMs = usualSettleMs }: RunOptions = {},
): Promise<Outcome> {
  const rejections: string[] = [];
  const onRejection = (reason: unknown): void =>
    void rejections.push(`nobody took a rejection: ${reason instanceof Error ? reason.stack : String(reason)}`);
  process.on("unhandledRejection", onRejection);
  const usual = { ...systemRandom };
  const random = new SeededRandom(schedule.seed + 1);
  Object.assign(systemRandom, {
    number: random.number,
    integer: (below: number) => random.integer(below),
    bytes: (length: number) => random.bytes(length),
    uuid: () => random.uuid(),
  } satisfies Random);
  try {
    const options = { bug: bug ?? (() => ({})), trace: trace ?? (() => {}), look };
    const { seed, cnfNamespaces, confirms, isStaged } = schedule;
    const world = await World.start({ seed, cnfNamespaces, confirms, isStaged, ...options });
    const outcome = await new ScheduleRun(schedule, world, mostSettleMs).play();
    return { ...outcome, problems: [...outcome.problems, ...rejections] };
  } finally {
    Object.assign(systemRandom, usual);
    process.off("unhandledRejection", onRejection);
  }
}

class ScheduleRun {
  readonly #schedule: Schedule;
  readonly #world: World;
  readonly #mostSettleMs: number;
  readonly #happened = new Map<string, number>();

  constructor(schedule: Schedule, world: World, mostSettleMs: number) {
    this.#schedule = schedule;
    this.#world = world;
    this.#mostSettleMs = mostSettleMs;
  }

  async play(): Promise<Outcome> {
    const world = this.#world;
    world.replicas = this.#schedule.replicas;
    for (let count = 0; count < world.replicas; count++) world.startProcess();
    await world.advance(1_000);
    for (const { action, seed, waitMs } of this.#schedule.steps) {
      const description = await actions[action]?.[1](world, new Dice(seed));
      if (description !== undefined) {
        world.log(description);
        this.#happened.set(action, (this.#happened.get(action) ?? 0) + 1);
      }
      await world.advance(waitMs);
    }
    world.isCut = false;
    const tried = await wronglyTried(world);
    await heal(world);
    const startedMs = world.clock.monotonic();
    const wrong = await this.#settle();
    const settledMs = world.clock.monotonic() - startedMs;
    const stir = wrong.length > 0 ? [] : await this.#stir();
    const admitted = await wrongAdmissions(world, new Dice(this.#schedule.seed + 2));
    const left = await this.#end();
    const [mostCnfCalls, mostApiCalls] = [most(world.network.byMinute), most(world.watchman.byMinute)];
    if (mostCnfCalls > mostCnfCallsInMinute) left.push(`${mostCnfCalls} calls to CNFs within a minute`);
    if (mostApiCalls > mostApiCallsInMinute) left.push(`${mostApiCalls} calls to the API server within a minute`);
    const problems = [
      ...world.watchman.problems,
      ...world.network.trespasses,
      ...tried,
      ...wrong,
      ...stir,
      ...admitted,
      ...left,
    ];
    return { problems, happened: this.#happened, settledMs, mostCnfCalls, mostApiCalls };
  }

  /**
   * Waits until the world has settled.
   *
   * @returns the remaining violations, if it does not settle
   */
  async #settle(): Promise<string[]> {
    const world = this.#world;
    const retried = new Set<string>();
    let wrong: string[] = [];
    for (let ms = 0; ms < this.#mostSettleMs; ms += lookMs) {
      await world.advance(lookMs);
      await removeDangling(world);
      // Rules that said something else while the faults ended, such as that their CNF does not answer.
      await retryRolledBack(world, retried);
      wrong = await this.#wrong();
      if (wrong.length === 0) return [];
    }
    return wrong.map((each) => `after ${this.#mostSettleMs / 60_000} minutes: ${each}`);
  }

  async #wrong(): Promise<string[]> {
    const world = this.#world;
    const wrong = [
      ...wrongStatuses(world),
      ...wrongHoldings(world),
      ...wrongOrder(world),
      ...wrongComposites(world),
      ...wrongInterfaces(world),
      ...wrongCnfStatus(world),
      ...(await touchedOwn(world)),
      ...shownKeys(world),
    ];
    // Reading the metrics takes as long as all other checks, so they are read last.
    return wrong.length > 0 ? wrong : wrongMetrics(world);
  }

  /** Returns activity although there is nothing left to do. */
  async #stir(): Promise<string[]> {
    const world = this.#world;
    await world.advance(quietMs);
    const before = this.#writes();
    await world.advance(quietMs);
    const written = this.#writes() - before;
    const wrong = (await this.#wrong()).map((each) => `did not stay settled: ${each}`);
    return written > 0 ? [`${written} writes although everything is settled`, ...wrong] : wrong;
  }

  #writes(): number {
    const { watchman, network } = this.#world;
    return watchman.writes + network.cnfs.reduce((sum, { writes }) => sum + writes, 0);
  }

  async #end(): Promise<string[]> {
    const world = this.#world;
    await world.end();
    const problems: string[] = [];
    for (const { ended, openWatches, isKilled } of world.allProcesses) {
      if (!ended) problems.push(`a process${isKilled ? " that was killed" : ""} did not end`);
      if (openWatches > 0) problems.push(`${openWatches} watches were left open`);
    }
    if (world.clock.waiting > 0) problems.push(`${world.clock.waiting} timers were left`);
    return problems;
  }
}

const most = (byMinute: ReadonlyMap<number, number>): number => Math.max(0, ...byMinute.values());
