/** Work that an evaluation may do for each unit of its cost. */
const workPerUnit = 10;

/** An expression was given up because it costs too much. */
export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Adds up what an evaluation costs, and stops it at a limit. */
export class CostMeter {
  readonly #limit: number;
  #cost = 0;
  #work = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What upstream reckons, or what the work comes to where that is more. */
  get cost(): number {
    return Math.max(this.#cost, Math.ceil(this.#work / workPerUnit));
  }

  /** @throws {CostLimitExceeded} */
  add(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostLimitExceeded();
  }

  /** @throws {CostLimitExceeded} */
  spend(work: number): void {
    // what is not done is not counted, but for what shows that it was too much
    this.#work = Math.min(this.#work + work, this.#limit * workPerUnit + 1);
    if (this.#work > this.#limit * workPerUnit) throw new CostLimitExceeded();
  }
}

let running: CostMeter | undefined;

/** Whatever is evaluated meanwhile spends its work on this meter. */
export function metered<T>(meter: CostMeter, evaluate: () => T): T {
  const outer = running;
  running = meter;
  try {
    return evaluate();
  } finally {
    running = outer;
  }
}

/**
 * Counts work before it is done: comparisons, items made, a few characters. Upstream's cost takes some functions for free whatever
 * they are given, so that a cheap expression could compare or make billions of values. Evaluation is synchronous, so there is one
 * meter at a time, and values can spend on it that know of no evaluation.
 *
 * @throws {CostLimitExceeded}
 */
export function spend(work: number): void {
  running?.spend(work);
}

/** Characters that are looked at, or copied, in the time of one comparison. */
const charactersPerWork = 16;

/** @throws {CostLimitExceeded} */
export function spendOnText(length: number): void {
  if (length > charactersPerWork) spend(length / charactersPerWork);
}
