import { expect, it } from "vitest";
import { Environment } from "./index.ts";

it("runs the example of the README", async () => {
  await using env = await Environment.start({ crds: ["config/crd"], users: [{ name: "jane", groups: ["dev"] }] });

  env.connection(); // { server, caData, certData, keyData } of admin, as clients take it
  env.kubeconfig("jane"); // text for kubectl
  env.faults.failNext({ verb: "list", status: 503, count: 2 }); // also: cutWatches, expireWatches, delay, hang, refuseConnections
  await env.restart();

  expect(env.connection()).toMatchObject({ server: env.url, caData: expect.stringContaining("BEGIN CERTIFICATE") });
});
