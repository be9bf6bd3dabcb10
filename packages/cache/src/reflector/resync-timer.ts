import type { Clock, Timer } from "@kubewright/clock";

/** Calls a function every `ms` milliseconds until {@link stop}; 0 disables it. */
export class ResyncTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onDue: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number, onDue: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onDue = onDue;
    if (ms > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.after(
      this.#ms,
      () => {
        this.#arm();
        this.#onDue();
      },
      { unref: true },
    );
  }
}
