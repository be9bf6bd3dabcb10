import { type TroubleName, troubleNames, Wire } from "../leader/lease-server.ts";
import { slowestRate } from "../leader/schedule.ts";
import { Machine, World } from "../leader/world.ts";
import { randomFrom } from "../schedule/random.ts";
import { type Division, Replica, type ShardBug, shards } from "./replica.ts";
import { type ShardSchedule, type Step, schedules } from "./schedule.ts";
import { ShardServer } from "./shard-server.ts";

const stepNames = ["setWall", "stall", "suspend", "stop", "kill", "leave", "join", "stick"] as const;
type StrikeName = TroubleName | (typeof stepNames)[number];

interface Outcome {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<StrikeName, number>;
}

/** Keys of the sites. If namespaces are divided, each site has its own. */
const sitesOf = (division: Division): readonly string[] =>
  Array.from({ length: 12 }, (_, at) => `ns-${division === "keys" ? at % 4 : at}/site-${at}`);
const restartMs = 3_000;
/** Time within which a machine that slept must notice it, as for leaders. */
const wakingMs = 9_000 / slowestRate;
/** Longest time of one reconcile with its write, and its retries, on the slowest clock. */
const reconcileMs = 10_000 / slowestRate;

const simulation = (command: string, divisionOf: (schedule: ShardSchedule) => Division) => ({
  schedules,
  names: [...troubleNames, ...stepNames],
  command,
  async play(schedule: ShardSchedule, bug: ShardBug | undefined): Promise<Outcome> {
    const run = new ScheduleRun(schedule, bug ?? {}, divisionOf(schedule));
    for (const step of schedule.steps) await run.play(step);
    return run.finish();
  },
});

/** Replicas that share the work on some objects by shards. */
export const shardSimulation = simulation("npm run test:faults -- --shards", () => "keys");

/** The same with shards of namespaces, of which each replica caches only its own. Half of the servers select them. */
export const namespaceSimulation = simulation("npm run test:faults -- --shards --namespaces", ({ random }) =>
  random % 2 === 0 ? "namespaces" : "selected namespaces",
);

class ScheduleRun {
  readonly #schedule: ShardSchedule;
  readonly #bug: ShardBug;
  readonly #division: Division;
  readonly #sites: readonly string[];
  readonly #world = new World();
  readonly #server = new ShardServer();
  readonly #random: () => number;
  /** The violations and when they were first seen. */
  readonly #problems = new Map<string, number>();
  readonly #struck = new Map<StrikeName, number>();
  /** The current process at each place. */
  readonly #places: Replica[] = [];
  readonly #all: Replica[] = [];
  /** Processes that are not replaced. */
  readonly #left = new Set<Replica>();
  #isOver = false;

  constructor(schedule: ShardSchedule, bug: ShardBug, division: Division) {
    this.#schedule = schedule;
    this.#division = division;
    this.#sites = sitesOf(division);
    this.#bug = bug;
    this.#random = randomFrom(schedule.random);
    for (const key of this.#sites) this.#server.want(key);
    for (const place of schedule.rates.keys()) this.#start(place);
  }

  async play(step: Step): Promise<void> {
    if (step.do === "wait") return this.#pass(step.ms);
    if (step.do === "change") return this.#server.want(this.#sites[step.site % this.#sites.length] ?? "");
    if (step.do === "join") this.#join();
    else if (step.do === "outage") for (const { wire } of this.#places) wire.strike(step.troubles);
    else this.#strike(this.#places[step.who % this.#places.length], step);
  }

  async finish(): Promise<Outcome> {
    const { leaseDurationMs } = this.#schedule.durations;
    for (const [place, replica] of this.#places.entries()) if (this.#left.has(replica)) this.#start(place);
    for (const replica of this.#all) {
      replica.wire.heal();
      replica.unstick();
    }
    const thaws = this.#places.map(({ machine }) => machine.frozenUntil).filter(Number.isFinite);
    await this.#pass(Math.max(...thaws, this.#world.now) - this.#world.now);
    for (const key of this.#sites) this.#server.want(key);
    await this.#pass((leaseDurationMs + 10_000) / slowestRate + reconcileMs);
    this.#mustBeDone("a lease duration and 10 s after the last fault");
    await this.#pass(30_000);
    this.#mustBeFair();
    for (const key of this.#sites) this.#server.want(key);
    await this.#pass(2 * reconcileMs);
    this.#mustBeDone("after a calm change");
    this.#checkCalm();
    this.#isOver = true;
    for (const replica of this.#places) replica.stop();
    await this.#pass(30_000);
    for (const { identity, hasEnded, machine } of this.#places) {
      if (!hasEnded) this.#problem(`${identity} did not end`);
      else if (machine.timers > 0) this.#problem(`${identity} left ${machine.timers} timers`);
    }
    for (let shard = 0; shard < shards; shard++)
      if (this.#server.holderOf(shard)) this.#problem(`shard ${shard} was not released at the end`);
    const problems = [...this.#problems].map(([text, at]) => `after ${Math.round(at)} ms: ${text}`);
    return { problems, struck: this.#struck };
  }

  #start(place: number): void {
    const rate = this.#schedule.rates[place] ?? 1;
    const machine = new Machine(this.#world, rate, this.#random() * 1e12);
    const [server, random, bug, { durations }] = [this.#server, this.#random, this.#bug, this.#schedule];
    const wire = new Wire(this.#world, machine, random, (name) => this.#count(name));
    const identity = `p${place}-${this.#all.length}`;
    const problem = (text: string): void => this.#problem(text);
    const division = this.#division;
    const replica = new Replica({ identity, machine, wire, server, durations, random, bug, division, problem });
    this.#places[place] = replica;
    this.#all.push(replica);
    void replica.ended.then(() => this.#replace(replica));
  }

  #replace(replica: Replica): void {
    const place = this.#places.indexOf(replica);
    this.#world.after(restartMs, () => {
      if (!this.#isOver && this.#places[place] === replica && !this.#left.has(replica)) this.#start(place);
    });
  }

  #join(): void {
    const place = this.#places.findIndex((replica) => this.#left.has(replica) && replica.hasEnded);
    if (place < 0) return;
    this.#count("join");
    this.#start(place);
  }

  #strike(replica: Replica | undefined, step: Extract<Step, { who: number }>): void {
    if (!replica) return;
    if (step.do === "trouble") return void replica.wire.strike(step.troubles); // counted when they strike
    const { machine } = replica;
    if (machine.isFrozen || replica.hasEnded) return;
    this.#count(step.do);
    const { leaseDurationMs, renewDeadlineMs } = this.#schedule.durations;
    const graceMs = (leaseDurationMs - renewDeadlineMs) / slowestRate;
    if (step.do === "stall" || step.do === "suspend") {
      machine[step.do](step.ms);
      const noticeMs = graceMs + (step.do === "suspend" ? wakingMs : 0);
      replica.excusedUntil = Math.max(replica.excusedUntil, machine.frozenUntil + noticeMs);
    } else if (step.do === "setWall") machine.setWall(step.byMs);
    else if (step.do === "stick") replica.stick();
    else if (step.do === "kill") {
      machine.stall(Number.POSITIVE_INFINITY);
      this.#replace(replica);
    } else {
      if (step.do === "leave") this.#left.add(replica);
      replica.stop();
    }
  }

  #pass(ms: number): Promise<void> {
    return this.#world.pass(ms, () => this.#look());
  }

  /** Checks the conditions that must hold at any time. */
  #look(): void {
    const workers = new Map<string, string>();
    for (const { running, identity, isDead, machine, excusedUntil } of this.#all) {
      if (running.size === 0 || isDead || machine.isFrozen || this.#world.now < excusedUntil) continue;
      for (const key of running) {
        const other = workers.get(key);
        if (other !== undefined) this.#problem(`${identity} and ${other} reconcile ${key} at once`);
        workers.set(key, identity);
      }
    }
  }

  #mustBeDone(when: string): void {
    for (const { metadata, data } of this.#server.sites)
      if (data.done !== data.wanted) this.#problem(`${metadata.namespace}/${metadata.name} is not done ${when}`);
  }

  #mustBeFair(): void {
    const counts = this.#places.map(({ coordinator }) => coordinator.held.length);
    if (counts.reduce((sum, count) => sum + count, 0) !== shards || Math.max(...counts) - Math.min(...counts) > 1)
      this.#problem(`the replicas hold ${counts.join(", ")} shards`);
    for (const { coordinator, identity } of this.#places)
      for (const shard of coordinator.held)
        if (this.#server.holderOf(shard) !== identity) this.#problem(`${identity} does not hold shard ${shard}`);
    for (const { coordinator, identity, cached } of this.#places) {
      const own = this.#sites.filter((key) => coordinator.held.includes(coordinator.shardOf(key))).length;
      if (this.#division !== "keys" && cached !== own)
        this.#problem(`${identity} caches ${cached} sites instead of ${own}`);
    }
  }

  #checkCalm(): void {
    const calm = ["wait", "change", "setWall", "leave", "join"];
    const lost = this.#all.filter(({ lostShards }) => lostShards > 0).map(({ identity }) => identity);
    if (lost.length > 0 && this.#schedule.steps.every((step) => calm.includes(step.do)))
      this.#problem(`${lost.join()} lost shards without need`);
  }

  #problem(text: string): void {
    if (!this.#problems.has(text)) this.#problems.set(text, this.#world.now);
  }

  #count(name: StrikeName): void {
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
  }
}
