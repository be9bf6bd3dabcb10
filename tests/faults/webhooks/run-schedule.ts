import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "@kubewright/certificates";
import { Machine, World } from "../leader/world.ts";
import { randomFrom } from "../schedule/random.ts";
import { ApiWorld } from "./api-world.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { configuration, Replica, targets, times } from "./replica.ts";
import { longestLagMs, type Schedule, type Step, writeFaults } from "./schedule.ts";

const stepNames = ["kill", "stall", "partition", "setWall", "lag"] as const;
const phaseNames = ["announced", "injected", "switched", "retired"] as const;
export const strikeNames = [...writeFaults, ...stepNames, ...phaseNames];
type StrikeName = (typeof strikeNames)[number];

interface Outcome {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<StrikeName, number>;
}

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 1);
const restartMs = 5_000;
/** Maximum deviation of clocks from true time. */
const longestSkewMs = 2 * minuteMs;

/** Plays one schedule in a separate world and reports violations. */
export async function runSchedule(schedule: Schedule, bug: PlantedBug = {}): Promise<Outcome> {
  const run = new ScheduleRun(schedule, bug);
  await run.begin();
  for (const step of schedule.steps) await run.play(step);
  return run.finish();
}

class ScheduleRun {
  readonly #schedule: Schedule;
  readonly #bug: PlantedBug;
  readonly #world = new World();
  readonly #random: () => number;
  readonly #api: ApiWorld;
  readonly #places: Replica[] = [];
  readonly #all: Replica[] = [];
  readonly #skews: number[] = [];
  readonly #problems = new Map<string, number>();
  readonly #struck = new Map<StrikeName, number>();
  /** True once every server has the first authority. */
  #hasBegun = false;
  #isOver = false;
  #phase = "";
  readonly #verdicts = new Map<string, boolean>();

  constructor(schedule: Schedule, bug: PlantedBug) {
    this.#schedule = schedule;
    this.#bug = bug;
    this.#random = randomFrom(schedule.random);
    this.#api = new ApiWorld(this.#world, schedule.servers);
    this.#api.put("Secret/cert", { metadata: { name: "cert", namespace: "shop" } });
    for (const { kind, name } of targets) this.#api.put(`${kind}/${name}`, configuration(name, kind, ""));
  }

  async begin(): Promise<void> {
    for (const place of this.#schedule.replicas.keys()) this.#start(place);
    await this.#pass(3 * times.intervalMs + longestLagMs);
    this.#hasBegun = true;
  }

  async play(step: Step): Promise<void> {
    if (step.do === "wait") return this.#pass(step.ms);
    if (step.do === "lag") {
      const server = this.#api.servers[step.server % this.#api.servers.length];
      if (server) server.lagMs = step.ms;
      return this.#count("lag");
    }
    const replica = this.#places[step.who % this.#places.length];
    if (!replica || replica.machine.isFrozen) return;
    if (step.do === "write") replica.nextWrite = { fault: step.fault, ms: step.ms };
    else this.#strike(replica, step);
  }

  async finish(): Promise<Outcome> {
    for (const replica of this.#places) {
      replica.partitionedUntil = 0;
      replica.nextWrite = undefined;
    }
    const thaws = this.#places.map(({ machine }) => machine.frozenUntil).filter(Number.isFinite);
    await this.#pass(Math.max(...thaws, this.#world.now) - this.#world.now + 5 * minuteMs);
    for (let i = 0; i < 5 && this.#lateness !== undefined; i++) await this.#pass(times.intervalMs); // one may just have renewed
    if (this.#lateness !== undefined) this.#problem(this.#lateness);
    this.#isOver = true;
    for (const replica of this.#places) replica.stop();
    await this.#pass(minuteMs);
    for (const { machine, isDead } of this.#all)
      if (!isDead && machine.timers > 0) this.#problem(`a replica left ${machine.timers} timers`);
    const problems = [...this.#problems].map(([text, at]) => `after ${Math.round(at / 1_000)} s: ${text}`);
    return { problems, struck: this.#struck };
  }

  /** Returns what is not right yet after the faults. */
  get #lateness(): string | undefined {
    if (!this.#places.every(({ isReady }) => isReady)) return "a replica is not ready at the end";
    const certificates = new Set(this.#places.map(({ source }) => source.current?.cert));
    return certificates.size === 1 ? undefined : "replicas serve different certificates at the end";
  }

  #start(place: number): void {
    this.#skews[place] ??= (this.#random() - 0.5) * 2 * (longestSkewMs - minuteMs);
    const machine = new Machine(this.#world, this.#schedule.replicas[place] ?? 1, startMs + (this.#skews[place] ?? 0));
    const replica = new Replica({
      world: this.#world,
      machine,
      api: this.#api,
      random: this.#random,
      bug: this.#bug,
      phase: (phase) => this.#saw(phase),
      crashed: (crashed) => this.#replace(crashed),
      count: (fault) => this.#count(fault),
    });
    this.#places[place] = replica;
    this.#all.push(replica);
  }

  /** Records the phases in the order of a rotation, once per rotation. */
  #saw(phase: string): void {
    const order = ["steady", "announced", "injected", "switched"];
    const next = order[(order.indexOf(this.#phase) + 1) % order.length];
    if (this.#phase !== "" && phase !== next) return;
    this.#phase = phase;
    if (phase === "announced" || phase === "injected" || phase === "switched") this.#count(phase);
    else if (this.#hasBegun) this.#count("retired");
  }

  #replace(replica: Replica): void {
    const place = this.#places.indexOf(replica);
    this.#world.after(restartMs, () => {
      if (!this.#isOver && this.#places[place] === replica) this.#start(place);
    });
  }

  #strike(replica: Replica, step: Exclude<Step, { do: "wait" | "lag" | "write" }>): void {
    this.#count(step.do);
    if (step.do === "kill") {
      replica.kill();
      this.#replace(replica);
    } else if (step.do === "stall") replica.machine.stall(step.ms);
    else if (step.do === "partition") replica.partitionedUntil = this.#world.now + step.ms;
    else {
      const place = this.#places.indexOf(replica);
      const skew = (this.#skews[place] ?? 0) + step.byMs;
      if (Math.abs(skew) > longestSkewMs) return;
      this.#skews[place] = skew;
      replica.machine.setWall(step.byMs);
    }
  }

  #pass(ms: number): Promise<void> {
    return this.#world.pass(ms, () => this.#look());
  }

  /** Checks the conditions that must hold at any time. */
  #look(): void {
    if (!this.#hasBegun) return;
    for (const replica of this.#places) {
      const { current } = replica.source;
      if (!current) continue;
      for (const [index, { trusted }] of this.#api.servers.entries())
        for (const [name, bundle] of trusted)
          if (!this.#accepts(current.cert, bundle) && replica.isReady && !this.#isOutlived(bundle))
            this.#problem(
              `replica ${this.#places.indexOf(replica)} serves what server ${index} does not trust for ${name}`,
            );
    }
  }

  #accepts(cert: string, bundle: string): boolean {
    const key = `${cert.slice(-200)} ${bundle.length} ${bundle.slice(-200)}`;
    let verdict = this.#verdicts.get(key);
    if (verdict === undefined) {
      const leaf = new X509Certificate(cert);
      const authorities = certificateBlocks(Buffer.from(bundle, "base64").toString());
      verdict = authorities.some((pem) => leaf.verify(new X509Certificate(pem).publicKey));
      this.#verdicts.set(key, verdict);
    }
    return verdict;
  }

  /**
   * Reports whether no replica was alive to announce another authority before the last one expired, so that no certificate could be
   * trusted.
   */
  #isOutlived(bundle: string): boolean {
    const lastMs = startMs + this.#world.now + longestSkewMs;
    const authorities = certificateBlocks(Buffer.from(bundle, "base64").toString());
    return authorities.every((pem) => Date.parse(new X509Certificate(pem).validTo) <= lastMs);
  }

  #problem(text: string): void {
    if (!this.#problems.has(text)) this.#problems.set(text, this.#world.now);
  }

  #count(name: StrikeName): void {
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
  }
}
