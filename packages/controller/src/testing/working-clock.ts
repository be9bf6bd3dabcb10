import { FakeClock } from "@kubewright/clock/testing";

/** A fake clock that also advances while the event loop is busy. */
export class WorkingClock extends FakeClock {
  #workedMs = 0;

  work(ms: number): void {
    this.#workedMs += ms;
  }

  override monotonic(): number {
    return super.monotonic() + this.#workedMs;
  }
}
