/** Work of an evaluation per unit of its cost limit. */
const workPerUnit = 10;

/** An expression was aborted because it exceeds its cost limit. */
export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Adds up the cost of an evaluation, and stops it at a limit. */
export class CostMeter {
  readonly #limit: number;
  #cost = 0;
  #work = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Upstream's cost, or that of the work if it is more. */
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
    // skipped work is not counted, except for one unit above the limit
    this.#work = Math.min(this.#work + work, this.#limit * workPerUnit + 1);
    if (this.#work > this.#limit * workPerUnit) throw new CostLimitExceeded();
  }
}

let running: CostMeter | undefined;

/** Adds the work of the evaluation to this meter. */
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
 * Counts work before it is done: comparisons, created items, a few characters. Upstream counts some functions as free whatever their
 * arguments are, so a cheap expression could compare or create billions of values. Evaluation is synchronous, so there is one meter at a
 * time, and values can use it without knowing the evaluation.
 *
 * @throws {CostLimitExceeded}
 */
export function spend(work: number): void {
  running?.spend(work);
}

/** Characters read or copied in the time of one comparison. */
const charactersPerWork = 16;

/** @throws {CostLimitExceeded} */
export function spendOnText(length: number): void {
  if (length > charactersPerWork) spend(length / charactersPerWork);
}
