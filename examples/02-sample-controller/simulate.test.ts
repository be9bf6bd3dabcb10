import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { Network } from "./network.ts";

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [Network],
    seed: 1,
    without: { active: "the controller only logs and records Events" },
  });
  expect(failure).toBeUndefined();
});
