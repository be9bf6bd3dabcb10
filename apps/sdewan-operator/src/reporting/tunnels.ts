import type { CnfModule } from "../cnf/cnf-api.ts";

/** The tunnels of a CNF. */
export interface Tunnels {
  readonly up: number;
  readonly connecting: number;
  /** The networks at the ends of tunnels that are up, as `10.1.0.0/16 === 10.2.0.0/16`. */
  readonly selectors: ReadonlySet<string>;
  /** True if each configured tunnel is up or connecting. */
  readonly isComplete: boolean;
}

/** Maximum number of lines to count in a CNF's response. */
const maxDetails = 1_000;

/** Returns the tunnels reported by a CNF's `ipsec` module, or undefined if the CNF does not report them. */
export function tunnelsIn(modules: readonly CnfModule[]): Tunnels | undefined {
  const status = modules.find(({ name }) => name === "ipsec")?.status;
  if (typeof status !== "object" || status === null || !("InitConnection" in status)) return undefined;
  const details: readonly unknown[] = "details" in status && Array.isArray(status.details) ? status.details : [];
  const counted = details.slice(0, maxDetails);
  const sum = (field: string): number => counted.reduce<number>((total, line) => total + countIn(line, field), 0);
  const selectors = new Set(counted.map((line) => String(fieldOf(line, "connection") ?? "")).filter(Boolean));
  const isComplete = status.InitConnection !== "fail";
  return { up: sum("up"), connecting: sum("connecting"), selectors, isComplete };
}

function countIn(line: unknown, field: string): number {
  const value = fieldOf(line, field);
  return typeof value === "string" && /^[0-9]{1,6}$/.test(value) ? Number(value) : 0;
}

const fieldOf = (line: unknown, field: string): unknown =>
  typeof line === "object" && line !== null ? Object.entries(line).find(([key]) => key === field)?.[1] : undefined;
