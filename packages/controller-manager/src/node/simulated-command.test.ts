import { expect, it } from "vitest";
import { simulatedRun } from "./simulated-command.ts";

it.each([
  [["sleep", "2"], { runMs: 2_000, exitCode: 0 }],
  [["sleep", "1m"], { runMs: 60_000, exitCode: 0 }],
  [["sleep", "infinity"], "endless"],
  [["/bin/sh", "-c", "exit 3"], { runMs: 0, exitCode: 3 }],
  [["sh", "-c", "echo hello; sleep 1 && exit 1; sleep 5"], { runMs: 1_000, exitCode: 1 }],
  [["false"], { runMs: 0, exitCode: 1 }],
  [["sh", "-c", "curl http://example.com"], undefined],
  [["nginx"], undefined],
  [[], undefined],
])("%j would do %j", (words, run) => {
  expect(simulatedRun(words)).toEqual(run);
});
