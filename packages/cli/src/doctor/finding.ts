import type { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { DescribedProgram } from "../generate/describe-program.ts";

/** What is not as it should be. */
export interface Finding {
  readonly what: string;
  /** The object, as `validatingwebhookconfiguration.admissionregistration.k8s.io/shop`. */
  readonly where: string;
  /** What to do: a command, if one does it. */
  readonly remedy: string;
  /** Does it, where nothing can be lost by it. */
  readonly fix?: (() => Promise<void>) | undefined;
}

/** What every check looks at, and by when. */
export interface Examined {
  readonly client: Client;
  readonly program: DescribedProgram;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Objects that have been deleted for longer are stuck. */
  readonly stuckAfterMs: number;
  /** Told of what could not be looked at. */
  readonly note: (text: string) => void;
}

export const dayMs = 24 * 3_600_000;

/** `3 days`, `2 hours`, `10 minutes` */
export function spanText(ms: number): string {
  const units = [
    ["day", dayMs],
    ["hour", 3_600_000],
  ] as const;
  const [unit, size] = units.find(([, one]) => ms >= 2 * one) ?? (["minute", 60_000] as const);
  const count = Math.max(Math.floor(ms / size), 0);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
