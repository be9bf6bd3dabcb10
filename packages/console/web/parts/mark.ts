import { type ComponentChild, h } from "preact";
import type { Tone } from "../responses.ts";

export const signs: Readonly<Record<Tone, string>> = { good: "●", warning: "▲", bad: "✖", neutral: "○" };

/** Text with a sign. The color only repeats the sign's meaning. */
export const mark = (tone: Tone, text: string): ComponentChild =>
  h("span", { class: `mark ${tone}` }, h("span", { "aria-hidden": "true" }, `${signs[tone]} `), text);
