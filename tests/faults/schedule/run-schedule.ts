import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import { type ResourceEventHandler, SharedInformer } from "@kubewright/cache";
import { clientListWatch, type ListerWatcher } from "@kubewright/cache/tools";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { entryOf, Historian, isSame } from "../history/historian.ts";
import { type FaultName, FaultPlan } from "../server/fault-plan.ts";
import { ServerState } from "../server/server-state.ts";
import { SimulatedConnection } from "../server/simulated-connection.ts";
import { mostRequests, SimulatedServer } from "../server/simulated-server.ts";
import { randomFrom } from "./random.ts";
import type { Schedule, Step } from "./schedule.ts";

/** A planted bug, between the informer and its connection. */
export interface PlantedBug {
  source?(source: ListerWatcher<ConfigMap>): ListerWatcher<ConfigMap>;
  handler?(handler: Handler): Handler;
}

type Handler = Required<ResourceEventHandler<ConfigMap>>;

interface Outcome {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<FaultName, number>;
  /** The events of each handler. */
  readonly journals: readonly (readonly string[])[];
}

/** Time after the last fault within which everything must be right: the longest silence plus the longest delay. */
const recoveryMs = 600_000;
/** An informer replaces a watch that is silent for longer than this. */
const stallMs = 120_000;

/** Plays one schedule on a virtual clock and reports violations. */
export async function runSchedule(schedule: Schedule, bug: PlantedBug = {}): Promise<Outcome> {
  const run = new ScheduleRun(schedule, bug);
  for (const step of schedule.before) await run.play(step);
  run.start();
  for (const step of schedule.steps) await run.play(step);
  return run.finish();
}

class ScheduleRun {
  readonly #schedule: Schedule;
  readonly #bug: PlantedBug;
  readonly #clock = new FakeClock();
  readonly #faults = new FaultPlan();
  readonly #state: ServerState;
  readonly #server: SimulatedServer;
  readonly #informer: SharedInformer<ConfigMap>;
  readonly #stop = new AbortController();
  /** The handlers, and their start positions in the server's log. */
  readonly #historians: { readonly historian: Historian; readonly from: number }[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(schedule: Schedule, bug: PlantedBug) {
    const { server, informer, random } = schedule;
    this.#schedule = schedule;
    this.#bug = bug;
    this.#state = new ServerState(server.startVersion, server.deletesKeepVersion);
    this.#server = new SimulatedServer(this.#state, this.#faults, this.#clock, server);
    const client = new Client({ connection: new SimulatedConnection(this.#server), clock: this.#clock });
    const source = clientListWatch(client, ConfigMap);
    this.#informer = new SharedInformer(bug.source?.(source) ?? source, {
      ...informer,
      kind: ConfigMap,
      clock: this.#clock,
      random: randomFrom(random),
      stallMs,
    });
    this.#listen("prompt handler", (handler) => handler);
    this.#listen("slow handler", (handler) => slowed(handler, this.#clock));
    this.#listen("failing handler", failing);
  }

  start(): void {
    this.#running = this.#informer.run(this.#stop.signal);
  }

  async play(step: Step): Promise<void> {
    if (step.do === "wait") await this.#clock.advance(step.ms);
    else if (step.do === "fault") this.#server.strike(step);
    else if (step.do === "addHandler") this.#listen("late handler", (handler) => handler);
    else if (step.do === "put") this.#server.deliver(this.#state.put(step.key));
    else if (step.do === "delete") this.#server.deliver(this.#state.delete(step.key));
    else this.#server.deliver(this.#state.delete(step.key), this.#state.put(step.key));
  }

  async finish(): Promise<Outcome> {
    this.#server.heal();
    await this.#clock.advance(recoveryMs);
    const problems = [...this.#wrongInformer(), ...this.#wrongHistories()];
    this.#stop.abort();
    let hasEnded = false;
    void this.#running.then(() => {
      hasEnded = true;
    });
    await this.#clock.advance(1_000);
    if (!hasEnded) problems.push("the informer did not end");
    if (this.#clock.waiting > 0) problems.push(`${this.#clock.waiting} timers were left`);
    if (this.#server.openWatches > 0) problems.push(`${this.#server.openWatches} watches were left open`);
    if (this.#server.requests > mostRequests) problems.push(`the server was asked ${this.#server.requests} times`);
    const silenceMs = this.#server.longestSilenceMs;
    const inFlightMs = this.#schedule.server.latencyMs; // text sent before the silence may arrive this much later
    if (silenceMs > stallMs + inFlightMs) problems.push(`a silent watch was tolerated for ${silenceMs} ms`);
    const journals = this.#historians.map(({ historian }) => historian.changes);
    return { problems, struck: this.#faults.struck, journals };
  }

  #listen(name: string, withTemper: (handler: Handler) => Handler): void {
    const historian = new Historian(name, this.#state, this.#schedule.informer.resyncMs !== false);
    const handler = withTemper(historian.handler);
    this.#historians.push({ historian, from: this.#state.log.length });
    this.#informer.addHandler(this.#bug.handler?.(handler) ?? handler, { name });
  }

  #wrongInformer(): string[] {
    const problems = this.#differences("the cache", this.#informer.indexer.list());
    const version = String(this.#state.now.version);
    if (!this.#informer.hasSynced) problems.push("the informer has not synced");
    if (this.#informer.lastSyncResourceVersion !== version)
      problems.push(`the informer is at version ${this.#informer.lastSyncResourceVersion}, the server at ${version}`);
    if (!(this.#informer.ageMs <= stallMs)) problems.push(`the last activity is ${this.#informer.ageMs} ms old`);
    return problems;
  }

  #wrongHistories(): string[] {
    return this.#historians.flatMap(({ historian, from }) => [
      ...historian.problems,
      ...this.#differences(historian.name, historian.objects),
      ...this.#lostChanges(historian, from),
    ]);
  }

  #differences(who: string, seen: readonly DeepReadonly<ConfigMap>[]): string[] {
    const { objects } = this.#state.now;
    const rest = new Map(objects);
    const problems: string[] = [];
    for (const object of seen) {
      const stored = rest.get(keyOf(object));
      rest.delete(keyOf(object));
      if (!stored) problems.push(`${who} has ${keyOf(object)}, and the server does not`);
      else if (!isSame(object, stored))
        problems.push(
          `${who} has ${keyOf(object)} at ${object.metadata.resourceVersion}, the server at ${stored.metadata.resourceVersion}`,
        );
    }
    for (const key of rest.keys()) problems.push(`the server has ${key}, and ${who} does not`);
    return problems;
  }

  /** After the last complete answer, only the watch can have reported changes: each of them once, in order. */
  #lostChanges({ name, changes }: Historian, from: number): string[] {
    const { log, restoredAt } = this.#state;
    const expected = log.slice(Math.max(from, restoredAt, this.#server.answeredAt)).map(entryOf);
    const received = expected.length === 0 ? [] : changes.slice(-expected.length);
    if (received.join() === expected.join()) return [];
    return [`${name} should have seen at the end: ${expected.join(", ")}; but saw: ${received.join(", ")}`];
  }
}

/** Returns a slow handler that fails if it is called concurrently. */
function slowed(handler: Handler, clock: FakeClock): Handler {
  let isBusy = false;
  const rest = async (): Promise<void> => {
    await clock.sleep(300);
    isBusy = false;
  };
  const begin = (): void => {
    if (isBusy) throw new Error("calls of one handler must not overlap");
    isBusy = true;
  };
  return {
    added: (...args) => {
      begin();
      handler.added(...args);
      return rest();
    },
    updated: (...args) => {
      begin();
      handler.updated(...args);
      return rest();
    },
    deleted: (...args) => {
      begin();
      handler.deleted(...args);
      return rest();
    },
  };
}

/** Returns a handler that sometimes throws after it has done its work. */
function failing(handler: Handler): Handler {
  let calls = 0;
  const fail = (): void => {
    if (++calls % 3 === 0) throw new Error("this handler fails sometimes");
  };
  return {
    added: (...args) => {
      handler.added(...args);
      fail();
    },
    updated: (...args) => {
      handler.updated(...args);
      fail();
    },
    deleted: (...args) => {
      handler.deleted(...args);
      fail();
    },
  };
}
