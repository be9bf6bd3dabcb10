import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";

/** Amount of work that an evaluation may do per unit of its cost limit. */
const workPerUnit = 10;

/** Thrown if an evaluation is aborted because it exceeded its cost limit. */
export class CostLimitExceededError extends KubewrightError {
  override readonly name = "CostLimitExceededError";
  readonly code = "ERR_COST_LIMIT_EXCEEDED";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Reports whether an error is a {@link CostLimitExceededError}. */
export const isCostLimitExceededError = isErrorWithCode<CostLimitExceededError>("ERR_COST_LIMIT_EXCEEDED");

/** Adds up an evaluation's cost, and stops the evaluation at a limit. */
export class CostMeter {
  readonly #limit: number;
  #cost = 0;
  #work = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Cost as upstream counts it, or the cost of the work done if that is higher. */
  get cost(): number {
    return Math.max(this.#cost, Math.ceil(this.#work / workPerUnit));
  }

  /** Adds to the evaluation's cost. @throws {CostLimitExceededError} if the cost exceeds the limit */
  add(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostLimitExceededError();
  }

  /** Counts work that the evaluation does. @throws {CostLimitExceededError} if the work exceeds the limit */
  spend(work: number): void {
    // skipped work is not counted, except for one unit above the limit
    this.#work = Math.min(this.#work + work, this.#limit * workPerUnit + 1);
    if (this.#work > this.#limit * workPerUnit) throw new CostLimitExceededError();
  }
}

let running: CostMeter | undefined;

/** Runs an evaluation and adds its cost to a meter. */
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
 * Counts work before it is done. One unit is a comparison, a created item, or a few characters. Upstream treats some
 * functions as free regardless of their arguments, so an expression with a low cost could compare or create billions of
 * values. Because evaluation is synchronous, there is only one meter at a time, so values can use it without a
 * reference to the evaluation.
 *
 * @throws {CostLimitExceededError} if the work exceeds the limit
 */
export function spend(work: number): void {
  running?.spend(work);
}

/** Number of characters that can be read or copied in the time that one comparison takes. */
const charactersPerWork = 16;

/** Counts the work of reading or copying a string of the given length. @throws {CostLimitExceededError} if the work exceeds the limit */
export function spendOnText(length: number): void {
  if (length > charactersPerWork) spend(length / charactersPerWork);
}
