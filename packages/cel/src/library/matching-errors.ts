import { MatchingTooCostlyError } from "../text/regular-expression.ts";
import { CelError, type CelValue } from "../values/value.ts";

/** Matches a regular expression. If this would block the process, returns an error that makes the expression fail. */
export function matchingErrors(match: () => CelValue): CelValue {
  try {
    return match();
  } catch (error) {
    if (error instanceof MatchingTooCostlyError) return new CelError(error.message);
    throw error;
  }
}
