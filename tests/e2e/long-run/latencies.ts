/** What happens during a write and its effect. The first name that applies counts. */
const phaseNames = [
  "upgrade",
  "server down",
  "just restarted",
  "after replica kill",
  "certificate rotation",
  "quiet",
] as const;
export type Phase = (typeof phaseNames)[number];

interface Window {
  readonly phase: Phase;
  readonly from: number;
  to: number;
}

/** Records when each phase of a run began and ended, and the latencies of writes by phase. */
export class Phases {
  readonly #windows: Window[] = [];
  readonly #latencies = new Map<Phase, number[]>();

  /** Begins a phase. The returned function ends it, optionally some time from now. */
  begin(phase: Phase): (afterMs?: number) => void {
    const window: Window = { phase, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#windows.push(window);
    return (afterMs = 0) => {
      if (window.to === Number.POSITIVE_INFINITY) window.to = performance.now() + afterMs;
    };
  }

  /** Returns the phase of a period, in milliseconds of `performance.now`. */
  of(from: number, to: number): Phase {
    const found = new Set(this.#windows.filter((each) => each.from <= to && each.to >= from).map(({ phase }) => phase));
    return phaseNames.find((phase) => found.has(phase)) ?? "quiet";
  }

  /** Adds the time from a write to its effect. */
  effect(from: number, to: number): void {
    const phase = this.of(from, to);
    const list = this.#latencies.get(phase) ?? [];
    list.push(to - from);
    this.#latencies.set(phase, list);
  }

  /** Returns the latencies of every phase in which a write took effect. */
  latencies(): readonly PhaseLatency[] {
    return phaseNames.flatMap((phase) => {
      const sorted = (this.#latencies.get(phase) ?? []).toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
      return sorted.length === 0 ? [] : [{ phase, writes: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) }];
    });
  }
}

export interface PhaseLatency {
  readonly phase: Phase;
  readonly writes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Generation of a deletion: it follows all others. */
export const deletion: number = Number.POSITIVE_INFINITY;

/** Measures the time from each acknowledged write until a watch shows its effect. */
export class Effects {
  readonly #phases: Phases;
  readonly #waiting = new Map<string, { readonly generation: number; readonly at: number }[]>();
  readonly #applied = new Map<string, number>();

  constructor(phases: Phases) {
    this.#phases = phases;
  }

  /** Registers a write that was sent at a time and stored as a generation of an object. */
  expect(key: string, generation: number, at: number): void {
    if ((this.#applied.get(key) ?? 0) >= generation) {
      this.#phases.effect(at, performance.now());
      return;
    }
    const list = this.#waiting.get(key) ?? [];
    list.push({ generation, at });
    this.#waiting.set(key, list);
  }

  /** Registers that a generation of an object is in effect. */
  applied(key: string, generation: number): void {
    this.#applied.set(key, generation);
    const list = this.#waiting.get(key) ?? [];
    for (const { at } of list.filter((each) => each.generation <= generation))
      this.#phases.effect(at, performance.now());
    const left = list.filter((each) => each.generation > generation);
    if (left.length > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }
}
