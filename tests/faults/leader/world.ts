import { type Clock, sleepOn, type Timer } from "@kubewright/clock";

interface Happening {
  at: number;
  readonly order: number;
  readonly machine: Machine | undefined;
  readonly run: () => void;
}

/** True time, which nobody in the world can read, and the scheduled events. */
export class World {
  now = 0;
  #order = 0;
  readonly #waiting = new Set<Happening>();

  /** Events of a frozen machine are delayed until it continues. */
  after(ms: number, run: () => void, machine?: Machine): Timer {
    const happening: Happening = { at: this.now + Math.max(ms, 0), order: this.#order++, machine, run };
    this.#waiting.add(happening);
    return { cancel: () => this.#waiting.delete(happening) };
  }

  /** Advances true time by `ms`. Calls `look` for every instant, after all its events. */
  async pass(ms: number, look: () => void): Promise<void> {
    const end = this.now + ms;
    await settled();
    for (let next = this.#first(); next && next.at <= end; next = this.#first()) {
      const thawsAt = next.machine?.frozenUntil ?? 0;
      if (thawsAt > next.at) {
        next.at = thawsAt;
        continue;
      }
      if (next.at > this.now) look();
      this.#waiting.delete(next);
      this.now = next.at;
      next.run();
      await settled();
    }
    look();
    this.now = end;
  }

  #first(): Happening | undefined {
    let first: Happening | undefined;
    for (const next of this.#waiting)
      if (!first || next.at < first.at || (next.at === first.at && next.order < first.order)) first = next;
    return first;
  }
}

/** Promise callbacks have run when the event loop turns. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A machine: clocks with their own rate, and an event loop that may stall. */
export class Machine implements Clock {
  /** In true time. */
  frozenUntil = 0;
  /** Number of active timers. */
  timers = 0;
  readonly #world: World;
  readonly #rate: number;
  #wallOffset: number;
  #sleptMs = 0;
  #wasSetBack = false;

  constructor(world: World, rate: number, wallOffset: number) {
    this.#world = world;
    this.#rate = rate;
    this.#wallOffset = wallOffset;
  }

  now(): number {
    return this.#wallOffset + this.#rate * this.#world.now;
  }

  monotonic(): number {
    return this.#rate * (this.#world.now - this.#sleptMs);
  }

  after(ms: number, callback: () => void): Timer {
    const due = this.monotonic() + Math.max(ms, 0);
    let timer: Timer | undefined;
    const done = (): void => {
      if (timer) this.timers--;
      timer = undefined;
    };
    const arm = (): Timer =>
      this.#world.after(
        (due - this.monotonic()) / this.#rate,
        () => {
          if (this.monotonic() < due - 1e-6)
            timer = arm(); // the machine slept
          else {
            done();
            callback();
          }
        },
        this,
      );
    this.timers++;
    timer = arm();
    return {
      cancel: () => {
        timer?.cancel();
        done();
      },
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Never set back after a sleep, nor the reverse: documented as not noticeable. */
  setWall(byMs: number): void {
    if (byMs < 0 && this.#sleptMs > 0) return;
    this.#wallOffset += byMs;
    this.#wasSetBack ||= byMs < 0;
  }

  get isFrozen(): boolean {
    return this.#world.now < this.frozenUntil;
  }

  /** Delays timers and answers; both clocks continue. */
  stall(ms: number): void {
    this.frozenUntil = this.#world.now + ms;
  }

  /** Stops the monotonic clock as well. Nothing on the machine runs meanwhile, so its reading does not matter. */
  suspend(ms: number): void {
    this.stall(ms);
    if (this.#wasSetBack) return;
    this.#sleptMs += ms;
  }
}
