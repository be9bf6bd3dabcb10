import { type ComponentChild, h } from "preact";
import type { Numbers, Tick, Tone } from "../responses.ts";

export const signs: Readonly<Record<Tone, string>> = { good: "●", warning: "▲", bad: "✖", neutral: "○" };

/** Text with a sign. The color only repeats the sign's meaning. */
export const mark = (tone: Tone, text: string): ComponentChild =>
  h("span", { class: `mark ${tone}` }, h("span", { "aria-hidden": "true" }, `${signs[tone]} `), text);

/** Returns the state of a controller: whether it reconciles and, if not, the reason. */
export function controllerMark(one: Numbers, leadership: Tick["leadership"] | undefined): ComponentChild {
  const { hasStarted, hasSynced, hung, unsynced } = one;
  if (!hasStarted) return mark("neutral", leadership?.isElected && !leadership.leads ? "Standby" : "Not started");
  if (unsynced.length > 0) return mark("bad", `Waiting for ${unsynced.map(sourceName).join(", ")}`);
  if (hung > 0) return mark("bad", `${hung} hung`);
  return hasSynced ? mark("good", "Running") : mark("neutral", "Stopped");
}

const sourceName = (description: string): string => description.replace(/^kind source: /, "");
