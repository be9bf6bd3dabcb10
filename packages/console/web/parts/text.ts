import type { Cause } from "../responses.ts";

/** Formats a duration: `4 ms`, `3.2 s`, `12 min`, `2 h`, `61 d`. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 60_000) return `${(ms / 1_000).toFixed(size < 10_000 ? 1 : 0)} s`;
  if (size < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (size < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

export const timeOfDay = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toLocaleTimeString([], { hour12: false }) : "";

export const causeText = ({ source, type, key, resourceVersion }: Cause): string =>
  `${source} ${key} ${pastOf[type] ?? type}${resourceVersion ? ` (rv ${resourceVersion})` : ""}`;

const pastOf: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  generic: "triggered",
};
