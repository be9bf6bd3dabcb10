import { expect, it } from "vitest";
import { readDifferences } from "./runner/listed-differences.ts";
import { kubectlSequences } from "./sequences/kubectl.ts";
import { sections } from "./sequences/sections.ts";

const steps = new Set([
  ...Object.values(sections)
    .flat()
    .flatMap(({ name, steps }) => steps.map(({ id }) => `${name}/${id}`)),
  ...kubectlSequences.flatMap(({ name, steps }) =>
    steps.flatMap(({ id }) => ["1.32", "1.37"].map((version) => `kubectl-${version}:${name}/${id}`)),
  ),
]);

it("lists only differences of existing steps, with a reason", () => {
  for (const { step, paths, reason } of readDifferences()) {
    expect(steps).toContain(step);
    expect(paths.length, step).toBeGreaterThan(0);
    expect(reason.length, step).toBeGreaterThan(10);
  }
});

it("lists no step twice", () => {
  const listed = readDifferences().map(({ step }) => step);
  expect(new Set(listed).size).toBe(listed.length);
});
