import { expect, it } from "vitest";
import { simulatedRun } from "./simulated-command.ts";

it.each([
  [["sleep", "2"], { runMs: 2_000, exitCode: 0 }],
  [["/bin/sleep", "1m"], { runMs: 60_000, exitCode: 0 }],
  [["sleep", "infinity"], { runMs: Number.POSITIVE_INFINITY, exitCode: 0 }],
  [["sleep", "0"], { runMs: 0, exitCode: 0 }],
  [["/bin/sh", "-c", "exit 3"], { runMs: 0, exitCode: 3 }],
  [["sh", "-c", "\nsleep 1\n\nexit 3\n"], { runMs: 1_000, exitCode: 3 }],
  [["bash", "-ec", "sleep 1 && sleep 0.5; exit 1; sleep 5;"], { runMs: 1_500, exitCode: 1 }],
  [["sh", "-c", "sleep 1 || exit 1"], undefined],
  [["sh", "-c", "curl http://example.com; exit 1"], undefined],
  [["sh", "-c"], undefined],
  [["nginx"], undefined],
  [[], undefined],
])("%j simulates %j", (words, run) => {
  expect(simulatedRun(words)).toEqual(run);
});
