import { FakeClock } from "@kubewright/clock/testing";

/** Time that also goes on while the event loop is kept busy. */
export class WorkingClock extends FakeClock {
  #workedMs = 0;

  work(ms: number): void {
    this.#workedMs += ms;
  }

  override monotonic(): number {
    return super.monotonic() + this.#workedMs;
  }
}
