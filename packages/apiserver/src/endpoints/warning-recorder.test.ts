import { expect, it } from "vitest";
import { WarningRecorder } from "./warning-recorder.ts";

it("sends each text once, quoted, and shortens them once much was said", () => {
  const warnings = new WarningRecorder();
  warnings.add('unknown field "a\\b"');
  warnings.add('unknown field "a\\b"');
  expect(warnings.headers()).toEqual(['299 - "unknown field \\"a\\\\b\\""']);
  for (let i = 0; i < 5; i++) warnings.add(`${i}${"x".repeat(1_000)}`);
  expect(warnings.headers().at(-1)?.length).toBeLessThan(300);
});
