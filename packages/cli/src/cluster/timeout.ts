import { parseGoDuration } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";

const maxMs = 24 * 60 * 60 * 1_000;

/**
 * Parses a duration and returns it in milliseconds.
 *
 * @throws {UsageError} if the text is not a duration from 0 to 24 hours
 */
export function timeoutMsOf(text: string, flag = "timeout"): number {
  const ns = parseGoDuration(text);
  const ms = ns === undefined ? Number.NaN : Number(ns / 1_000_000n);
  if (!(ms >= 0 && ms <= maxMs))
    throw new UsageError(`--${flag} ${JSON.stringify(text)} is not a duration of at most 24h, such as 90s or 5m`);
  return ms;
}
