import { Environment } from "@kubewright/envtest";
import { describe, expect, it } from "vitest";
import { answersOf, assets, complaints, drift, isRecording } from "./runner/check-section.ts";
import { readIgnoredTexts, wasNeeded } from "./runner/ignored-texts.ts";
import { readRecording, writeRecording } from "./runner/recordings.ts";
import { runSequence } from "./runner/run-sequence.ts";
import { sections } from "./sequences/sections.ts";

const sequences = Object.values(sections).flat();

describe("the embedded server compared with kube-apiserver", async () => {
  const answers = (inProcess: boolean) =>
    answersOf(() => Environment.start({ assets: "", inProcess }), sequences, runSequence);
  const [ours, withoutSockets] = await Promise.all([answers(false), answers(true)]); // together, because both mostly wait
  const real = assets === "" ? undefined : await answersOf(() => Environment.start({ assets }), sequences, runSequence);

  it.each(Object.entries(sections))("gives the same answers: %s", (section, members) => {
    const names = new Set(members.map(({ name }) => name));
    const only = <T extends object>(all: T): T =>
      Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))) as T;
    if (real && isRecording) writeRecording(section, only(real));
    const recorded = readRecording(section);
    expect(complaints(recorded, only(ours)).join("\n")).toBe("");
    expect(complaints(recorded, only(withoutSockets)).join("\n")).toBe("");
    if (real) expect(drift(recorded, only(real)).join("\n")).toBe("");
  });
});

it("lists only texts that an answer needs", () => {
  const idle = readIgnoredTexts().filter((row) => !wasNeeded(row));
  expect(idle.map(({ upstream }) => upstream.source)).toEqual([]);
});

it("sends at least 400 requests", () => {
  expect(sequences.flatMap(({ steps }) => steps).length).toBeGreaterThanOrEqual(400);
});
