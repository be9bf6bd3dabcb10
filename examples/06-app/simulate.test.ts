import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { App } from "./app.ts";

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [App],
    seed: 1,
    // The webhook inverts enable_ingress and refuses an Ingress without a Service.
    users: {
      App: [
        { spec: { image: "nginx", enable_service: true } },
        { spec: { image: "nginx", enable_ingress: true } },
      ],
    },
    without: {
      history: "the webhook inverts enable_ingress again in a fresh cluster",
    },
  });
  expect(failure).toBeUndefined();
});
