import { MatchingTooCostlyError } from "../text/regular-expression.ts";
import { CelError, type CelValue } from "../values/value.ts";

/** Returns the result of matching. If matching would block the process, the expression fails with an error. */
export function matchingErrors(match: () => CelValue): CelValue {
  try {
    return match();
  } catch (error) {
    if (error instanceof MatchingTooCostlyError) return new CelError(error.message);
    throw error;
  }
}
