import { simulate } from "@kubewright/simulation";
import { Service } from "kubewright/kinds";
import { expect, it } from "vitest";
import { annotation } from "./ingress.ts";

const spec = (port: number) => ({
  selector: { app: "shop" },
  ports: [{ port }],
});
const wanted = { annotations: { [annotation]: "yes" } };

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [Service],
    seed: 1,
    users: {
      Service: [
        { metadata: wanted, spec: spec(80) },
        { metadata: wanted, spec: spec(8080) },
        { spec: spec(80) },
      ],
    },
  });
  expect(failure).toBeUndefined();
});
