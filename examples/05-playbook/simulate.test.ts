import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { Playbook } from "./playbook.ts";

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [Playbook],
    seed: 1,
    without: {
      active:
        "the controller acts only when somebody sets the progress in the status",
      deletion: "only users of the group ops may delete an unfinished play",
    },
  });
  expect(failure).toBeUndefined();
});
