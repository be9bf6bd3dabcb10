import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { Site } from "./main.ts";

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, { kinds: [Site], seed: 1 });
  expect(failure).toBeUndefined();
});
