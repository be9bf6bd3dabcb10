import type { Clock, Timer } from "@kubewright/clock";
import type { Probe, ProbeResult } from "./probe.ts";

export type ProbeKind = "startup" | "liveness" | "readiness";

export interface ContainerProbesOptions {
  readonly clock: Clock;
  readonly probes: Readonly<Partial<Record<ProbeKind, Probe>>>;
  /** Runs a probe once and returns its result. The promise never rejects. */
  ask(probe: Probe): ProbeResult | Promise<ProbeResult>;
  /** Called with each result that has a message. */
  onResult?(kind: ProbeKind, answer: ProbeResult): void;
  /** Called when the container becomes ready, unready or started. */
  onChange(): void;
  /** Called when the container must be restarted, because its startup probe or its liveness probe has failed too often. */
  onDead(kind: ProbeKind): void;
}

/**
 * Probes a running container. The startup probe runs first; once it has succeeded, the other probes start. Each probe
 * starts after its initial delay and repeats at its own interval.
 *
 * @see kubernetes pkg/kubelet/prober worker.go
 */
export class ContainerProbes {
  readonly #options: ContainerProbesOptions;
  readonly #timers = new Map<ProbeKind, Timer>();
  readonly #streaks = new Map<ProbeKind, { readonly isGood: boolean; readonly count: number }>();
  #isStarted: boolean;
  #isReady: boolean;
  #startedAt = 0;
  #hasEnded = false;

  constructor(options: ContainerProbesOptions) {
    this.#options = options;
    this.#isStarted = options.probes.startup === undefined;
    this.#isReady = options.probes.readiness === undefined;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isReady(): boolean {
    return this.#isStarted && this.#isReady;
  }

  /** Starts probing. */
  begin(): void {
    this.#startedAt = this.#options.clock.now();
    if (this.#isStarted) this.#askTheOthers();
    else this.#schedule("startup", this.#delayOf("startup"));
  }

  end(): void {
    this.#hasEnded = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #askTheOthers(): void {
    for (const kind of ["liveness", "readiness"] as const) this.#schedule(kind, this.#delayOf(kind));
  }

  #delayOf(kind: ProbeKind): number {
    const { clock, probes } = this.#options;
    return this.#startedAt + (probes[kind]?.initialDelaySeconds ?? 0) * 1_000 - clock.now();
  }

  #schedule(kind: ProbeKind, ms: number): void {
    const probe = this.#options.probes[kind];
    if (!probe) return;
    if (ms <= 0 && kind === "readiness")
      this.#ask(kind, probe); // avoids a temporary unready state
    else this.#askIn(kind, probe, Math.max(0, ms));
  }

  #ask(kind: ProbeKind, probe: Probe): void {
    const answer = this.#options.ask(probe);
    if (answer instanceof Promise) void answer.then((late) => this.#hasEnded || this.#take(kind, probe, late));
    else this.#take(kind, probe, answer);
  }

  #take(kind: ProbeKind, probe: Probe, answer: ProbeResult): void {
    const { isGood } = answer;
    if (!isGood || answer.message !== undefined) this.#options.onResult?.(kind, answer);
    const before = this.#streaks.get(kind);
    const count = before?.isGood === isGood ? before.count + 1 : 1;
    this.#streaks.set(kind, { isGood, count });
    const isEnough = count >= (isGood ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3));
    if (isEnough && !this.#settle(kind, isGood)) return;
    this.#askIn(kind, probe, (probe.periodSeconds ?? 10) * 1_000);
  }

  #askIn(kind: ProbeKind, probe: Probe, ms: number): void {
    this.#timers.set(
      kind,
      this.#options.clock.after(ms, () => this.#ask(kind, probe)),
    );
  }

  /** Processes a probe's result. Returns true if the probe must be repeated. */
  #settle(kind: ProbeKind, isGood: boolean): boolean {
    if (kind === "readiness") {
      if (this.#isReady === isGood) return true;
      this.#isReady = isGood;
      this.#options.onChange();
      return true;
    }
    if (!isGood) {
      this.end();
      this.#options.onDead(kind);
      return false;
    }
    if (kind === "liveness") return true;
    this.#isStarted = true;
    this.#askTheOthers();
    this.#options.onChange();
    return false;
  }
}
