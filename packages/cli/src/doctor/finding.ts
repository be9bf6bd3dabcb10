import type { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { DescribedProgram } from "../generate/describe-program.ts";

/** A problem that a check found. */
export interface Finding {
  readonly what: string;
  /** Affected object, such as `validatingwebhookconfiguration.admissionregistration.k8s.io/shop`. */
  readonly where: string;
  /** Remedy, as a command if possible. */
  readonly remedy: string;
  /** Applies the remedy. Undefined if the remedy could lose data. */
  readonly fix?: (() => Promise<void>) | undefined;
}

/** Input of every check. */
export interface Examined {
  readonly client: Client;
  readonly program: DescribedProgram;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Time in milliseconds after which a terminating object counts as stuck. */
  readonly stuckAfterMs: number;
  /** Called with a message about each thing that was not checked. */
  readonly note: (text: string) => void;
}

export const dayMs = 24 * 3_600_000;

/** Formats a duration, such as `3 days`, `2 hours` or `10 minutes`. */
export function spanText(ms: number): string {
  const units = [
    ["day", dayMs],
    ["hour", 3_600_000],
  ] as const;
  const [unit, size] = units.find(([, one]) => ms >= 2 * one) ?? (["minute", 60_000] as const);
  const count = Math.max(Math.floor(ms / size), 0);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
