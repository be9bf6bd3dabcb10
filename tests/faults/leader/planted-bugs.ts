import type { Clock, Timer } from "@kubewright/clock";
import type { ResourceLock } from "@kubewright/leader-election";
import type { PlantedBug } from "./contender.ts";

/** Looks at the renew deadline only when an attempt has ended. */
export const deadlineAfterAttempt = (): PlantedBug => ({
  around: (lock, clock) => {
    const calls = new CallsUnderWay(clock);
    return { lock: aroundCalls(lock, (call) => calls.during(call)), clock: { ...timeOf(clock), after: calls.after } };
  },
});

/** Gives each half of an attempt a budget of its own, and looks at the renew deadline when both have ended. */
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

/** Counts the tenure on the wall clock. */
export const wallTenure = (): PlantedBug => ({
  around: (lock, clock) => ({ lock, clock: { ...timeOf(clock), monotonic: () => clock.now() } }),
});

/** Counts the tenure from the answer to a renewal. */
export const tenureFromAnswer = (): PlantedBug => ({
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

/** Asks whether it leads before the first try of a write, and not before the others. */
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

/** Timers that come due while a call is under way wait for its end. */
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
