import type { Clock, Timer } from "@kubewright/clock";
import type { ResourceLock } from "@kubewright/leader-election";
import type { PlantedBug } from "./contender.ts";

/** Checks the renew deadline only when an attempt has ended. */
export const deadlineAfterAttempt = (): PlantedBug => ({
  around: (lock, clock) => {
    const calls = new CallsUnderWay(clock);
    return { lock: aroundCalls(lock, (call) => calls.during(call)), clock: { ...timeOf(clock), after: calls.after } };
  },
});

/** Gives each half of an attempt its own time limit, and checks the renew deadline when both have ended. */
export const twoBudgets = (): PlantedBug => ({
  around: (lock, clock, attemptMs) => {
    const calls = new CallsUnderWay(clock);
    const limited = <T>(call: () => Promise<T>): Promise<T> =>
      Promise.race([
        call(),
        clock.sleep(attemptMs).then((): never => {
          throw new Error("hung");
        }),
      ]);
    return {
      lock: aroundCalls(lock, (call) => calls.during(() => limited(call))),
      clock: { ...timeOf(clock), after: calls.after },
    };
  },
});

/** Measures the term with the wall clock. */
export const wallTerm = (): PlantedBug => ({
  around: (lock, clock) => ({ lock, clock: { ...timeOf(clock), monotonic: () => clock.now() } }),
});

/** Measures the term from the response to a renewal. */
export const termFromResponse = (): PlantedBug => ({
  around: (lock, clock) => {
    let inCallsMs = 0;
    const during = async <T>(call: () => Promise<T>): Promise<T> => {
      const from = clock.monotonic();
      return call().finally(() => {
        inCallsMs += clock.monotonic() - from;
      });
    };
    return {
      lock: aroundCalls(lock, during),
      clock: { ...timeOf(clock), monotonic: () => clock.monotonic() - inCallsMs, now: () => clock.now() - inCallsMs },
    };
  },
});

/** Asks whether it leads only before the first attempt of a write. */
export const asksOnce = (): PlantedBug => ({ asksOnce: true });

type During = <T>(call: () => Promise<T>) => Promise<T>;

const timeOf = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (ms, callback) => clock.after(ms, callback),
  sleep: (ms, signal) => clock.sleep(ms, signal),
});

function aroundCalls(lock: ResourceLock, during: During): ResourceLock {
  return {
    identity: lock.identity,
    description: lock.description,
    get: (signal) => during(() => lock.get(signal)),
    create: (record, signal) => during(() => lock.create(record, signal)),
    update: (record, signal) => during(() => lock.update(record, signal)),
    record: (text) => lock.record(text),
  };
}

/** Timers that expire during a call wait for its end. */
class CallsUnderWay {
  readonly #clock: Clock;
  #count = 0;
  #due: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#count++;
    return call().finally(() => {
      this.#count--;
      for (const callback of this.#due.splice(0)) callback();
    });
  }

  readonly after = (ms: number, callback: () => void): Timer => {
    let isCalledOff = false;
    const unlessCalledOff = (): void => {
      if (!isCalledOff) callback();
    };
    const timer = this.#clock.after(ms, () => (this.#count > 0 ? this.#due.push(unlessCalledOff) : callback()));
    return {
      cancel: () => {
        isCalledOff = true;
        timer.cancel();
      },
    };
  };
}
