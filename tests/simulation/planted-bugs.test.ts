import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { findBug } from "./find-bug.ts";
import { bugs } from "./planted/bugs.ts";
import { Site } from "./planted/site.ts";

it("finds nothing in a program without a bug", async () => {
  const program = new URL("./planted/program.ts", import.meta.url);
  const { played } = await simulate(program, { kinds: [Site], schedules: 5, seed: 1, print: () => {} });
  expect(played).toBe(5);
});

// All of them take minutes: `npm run test:simulation` looks for each.
it.each([
  "status-from-memory",
  "swallowed-error",
  "unhandled-rejection",
  "forgotten-finalizer",
  "not-watched",
  "hot-poll",
])("finds %s", async (name) => {
  const story = await findBug(name, 5, 1);
  const checks = bugs[name]?.checks.join("|");
  expect(story).toMatch(new RegExp(`^✗ (${checks}): `, "m"));
});
