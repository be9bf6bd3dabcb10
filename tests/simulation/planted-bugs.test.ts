import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { findBug } from "./find-bug.ts";
import { fakeBucket } from "./planted/bucket.ts";
import { bugs } from "./planted/bugs.ts";
import { Site } from "./planted/site.ts";

it("finds nothing in a program without a bug", async () => {
  const program = new URL("./planted/program.ts", import.meta.url);
  const { played } = await simulate(program, {
    kinds: [Site],
    world: [fakeBucket()],
    role: "generated",
    schedules: 5,
    seed: 1,
    print: () => {},
  });
  expect(played).toBe(5);
});

// All of them take minutes: `npm run test:simulation` looks for each.
it.each([
  ["status-from-memory", 1],
  ["swallowed-error", 3],
  ["unhandled-rejection", 1],
  ["forgotten-finalizer", 1],
  ["not-watched", 1],
  ["hot-poll", 1],
])("finds %s", async (name, seed) => {
  const bug = await findBug(name, { schedules: 20, seed, shorten: false });
  expect(bugs[name]?.checks).toContain(bug?.check);
});
