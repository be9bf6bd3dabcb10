import { expect, it } from "vitest";
import { WarningRecorder } from "./warning-recorder.ts";

it("sends each text once, quoted, and shortens texts if there are many", () => {
  const warnings = new WarningRecorder();
  warnings.add('unknown field "a\\b"');
  warnings.add('unknown field "a\\b"');
  expect(warnings.headers()).toEqual(['299 - "unknown field \\"a\\\\b\\""']);
  for (let i = 0; i < 5; i++) warnings.add(`${i}${"x".repeat(1_000)}`);
  expect(warnings.headers().map(({ length }) => length)).toEqual([30, 264, 264, 264, 264, 264]);
});

it("omits texts that no longer fit", () => {
  const warnings = new WarningRecorder();
  for (let i = 10; i < 50; i++) warnings.add(`${i}${"x".repeat(250)}`);
  expect(warnings.headers()).toHaveLength(17);
});

it("sends UTF-8, and skips texts with control characters", () => {
  const warnings = new WarningRecorder();
  for (const text of ["a\nb", "\u0007", "é"]) warnings.add(text);
  expect(warnings.headers()).toEqual([`299 - "${Buffer.from("é").toString("latin1")}"`]);
});
