import type { Cause } from "../responses.ts";

export { durationText as duration } from "../../src/data/duration.ts";

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
