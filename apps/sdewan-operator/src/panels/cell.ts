import type { PanelCell, PanelText, PanelTone } from "@kubewright/console";

/** IDs of the operator's console panels. */
export const cnfsPanel = "cnfs";
export const tunnelsPanel = "tunnels";
export const waysPanel = "ways";
export const flowsPanel = "flows";
export const plansPanel = "plans";

/** Sort order of tones, most urgent first. */
export const urgency: Readonly<Record<PanelTone, number>> = { bad: 0, warning: 1, neutral: 2, good: 3 };

export const urgencyOf = (cell: PanelCell | undefined): number =>
  typeof cell === "object" && cell !== null ? urgency[cell.tone ?? "good"] : urgency.good;

/** Returns an object with `sinceMs`, or an empty object if the time is unknown. */
export const since = (sinceMs: number | undefined): Pick<PanelText, "sinceMs"> =>
  sinceMs === undefined ? {} : { sinceMs };

export const at = (atMs: number | undefined): Pick<PanelText, "atMs"> => (atMs === undefined ? {} : { atMs });

/** Returns the link to the page about a resource, such as `CNFNAT default/web of CNFService shop`. */
export function linkTo(resource: string): Pick<PanelText, "to"> {
  const [kind = "", key = ""] = resource.split(" ");
  return { to: { panel: waysPanel, row: `${kind}/${key}` } };
}

/** Formats a number with a noun, such as `1 object` or `2 objects`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
