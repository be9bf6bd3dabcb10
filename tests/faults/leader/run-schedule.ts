import { randomFrom } from "../schedule/random.ts";
import { Contender, type PlantedBug } from "./contender.ts";
import { LeaseServer, type TroubleName, troubleNames, Wire } from "./lease-server.ts";
import { type Schedule, type Step, slowestRate, type Who } from "./schedule.ts";
import { Machine, World } from "./world.ts";

const stepNames = ["setWall", "stall", "suspend", "stop", "kill", "touch", "delete"] as const;
export const strikeNames = [...troubleNames, ...stepNames];
type StrikeName = TroubleName | (typeof stepNames)[number];

interface Outcome {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<StrikeName, number>;
}

/** Time after the last fault within which somebody must lead: a lease, a candidate's longest pause, a hung attempt, a restart. */
const recoveryMs = 60_000;
/** Time within which a machine that slept must notice it: the rest of an attempt, and another one, on the slowest clock. */
const wakingMs = 9_000 / slowestRate;
const restartMs = 3_000;
/** Time within which the former leader must notice a deletion: a lease on the slowest clock. */
const deletionMs = 15_000 / slowestRate;

/** Plays one schedule in a separate world and reports violations. */
export async function runSchedule(schedule: Schedule, bug: PlantedBug = {}): Promise<Outcome> {
  const run = new ScheduleRun(schedule, bug);
  for (const step of schedule.steps) await run.play(step);
  return run.finish();
}

class ScheduleRun {
  readonly #schedule: Schedule;
  readonly #bug: PlantedBug;
  readonly #world = new World();
  readonly #server = new LeaseServer();
  readonly #random: () => number;
  /** The violations and when they were first seen. */
  readonly #problems = new Map<string, number>();
  readonly #struck = new Map<StrikeName, number>();
  /** The current process at each place. */
  readonly #places: Contender[] = [];
  readonly #all: Contender[] = [];
  #deletedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(schedule: Schedule, bug: PlantedBug) {
    this.#schedule = schedule;
    this.#bug = bug;
    this.#random = randomFrom(schedule.random);
    for (const place of schedule.processes.keys()) this.#start(place);
  }

  async play(step: Step): Promise<void> {
    if (step.do === "wait") return this.#pass(step.ms);
    if (step.do === "touch") {
      this.#count("touch");
      return this.#server.touch();
    }
    if (step.do === "delete") return this.#delete();
    this.#strike(this.#who(step.who), step);
  }

  async finish(): Promise<Outcome> {
    for (const { wire } of this.#places) wire.heal();
    const thaws = this.#places.map(({ machine }) => machine.frozenUntil).filter(Number.isFinite);
    await this.#pass(Math.max(...thaws, this.#world.now) - this.#world.now + recoveryMs);
    const leaders = this.#places.filter(({ elector }) => elector.leads).map(({ identity }) => identity);
    if (leaders.join() !== this.#server.holder)
      this.#problem(
        `${leaders.join(" and ") || "nobody"} leads at the end, and ${this.#server.holder} holds the lease`,
      );
    this.#checkMild();
    this.#isOver = true;
    for (const contender of this.#places) contender.stop();
    await this.#pass(20_000);
    for (const { identity, hasEnded, machine } of this.#places) {
      if (!hasEnded) this.#problem(`${identity} did not end`);
      if (machine.timers > 0) this.#problem(`${identity} left ${machine.timers} timers`);
    }
    const problems = [...this.#problems].map(([text, at]) => `after ${Math.round(at)} ms: ${text}`);
    return { problems, struck: this.#struck };
  }

  #start(place: number): void {
    const { rate, writes } = this.#schedule.processes[place] ?? { rate: 1, writes: true };
    const machine = new Machine(this.#world, rate, this.#random() * 1e12);
    const wire = new Wire(this.#world, machine, this.#random, (name) => this.#count(name));
    const identity = `p${place}-${this.#all.length}`;
    const problem = (text: string): void => this.#problem(text);
    const { durations } = this.#schedule;
    const [server, random, bug] = [this.#server, this.#random, this.#bug];
    const contender = new Contender({ identity, machine, wire, server, durations, random, bug, writes, problem });
    this.#places[place] = contender;
    this.#all.push(contender);
    void contender.ended.then(() => this.#replace(contender));
  }

  /** A process that never saw a deleted lease creates it again, so none is started before the holder has noticed the deletion. */
  #replace(contender: Contender): void {
    const place = this.#places.indexOf(contender);
    const ms = Math.max(restartMs, this.#deletedAt + deletionMs - this.#world.now);
    this.#world.after(ms, () => {
      if (this.#isOver || this.#places[place] !== contender) return;
      if (this.#world.now >= this.#deletedAt + deletionMs) this.#start(place);
      else this.#replace(contender);
    });
  }

  #strike(contender: Contender, step: Extract<Step, { who: Who }>): void {
    const { machine, wire } = contender;
    if (step.do !== "trouble" && machine.isFrozen) return;
    if (step.do !== "trouble") this.#count(step.do); // faults are counted when they strike
    if (step.do === "trouble") wire.strike(step.troubles);
    else if (step.do === "setWall") machine.setWall(step.byMs);
    else if (step.do === "stop") contender.stop();
    else if (step.do === "kill") {
      machine.stall(Number.POSITIVE_INFINITY);
      this.#replace(contender);
    } else if (step.do === "suspend") {
      machine.suspend(step.ms);
      contender.excusedUntil = machine.frozenUntil + wakingMs;
    } else {
      machine.stall(step.ms);
      machine.setWall(step.byMs);
      if (contender.excusedUntil > this.#world.now) contender.excusedUntil += step.ms;
    }
  }

  /** Occasionally, and only if all processes know the leader: any other would create the lease again at once, as documented. */
  #delete(): void {
    const { holder } = this.#server;
    const allKnow = this.#places.every(({ elector, hasEnded }) => !hasEnded && elector.leader === holder);
    if (!holder || !allKnow || this.#world.now < this.#deletedAt + 3 * deletionMs) return;
    this.#count("delete");
    this.#deletedAt = this.#world.now;
    this.#server.lease = undefined;
  }

  #who(who: Who): Contender {
    const leader = this.#places.find(({ identity }) => identity === this.#server.holder);
    const some = this.#places[typeof who === "number" ? who % this.#places.length : 0];
    const found = who === "leader" ? (leader ?? some) : some;
    if (!found) throw new Error("there are no processes");
    return found;
  }

  #pass(ms: number): Promise<void> {
    return this.#world.pass(ms, () => this.#look());
  }

  /** Checks the conditions that must hold at any time. */
  #look(): void {
    const running = this.#places.filter(({ runs, excusedUntil }) => runs && this.#world.now >= excusedUntil);
    const { holder } = this.#server;
    for (const { identity } of running)
      if (holder !== undefined && holder !== identity)
        this.#problem(`${identity} has not been stopped while ${holder || "nobody"} holds the lease`);
    if (running.length > 1) this.#problem(`${running.map(({ identity }) => identity).join(" and ")} run at once`);
  }

  #checkMild(): void {
    const isMild = this.#schedule.steps.every(
      ({ do: what }) => what === "wait" || what === "setWall" || what === "touch",
    );
    const lost = this.#all.filter(({ wasDeposed }) => wasDeposed).map(({ identity }) => identity);
    if (isMild && lost.length > 0) this.#problem(`${lost.join()} lost leadership without need`);
  }

  #problem(text: string): void {
    if (!this.#problems.has(text)) this.#problems.set(text, this.#world.now);
  }

  #count(name: StrikeName): void {
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
  }
}
