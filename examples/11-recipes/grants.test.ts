import { Environment } from "@kubewright/envtest";
import { Client } from "kubewright";
import { RoleBinding } from "kubewright/kinds";
import { operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { addKeyholders } from "./grants.ts";
import { Shop } from "./shop.ts";

it("grants permissions that it does not have itself, with its generated role", async () => {
  await using env = await Environment.start({ crds: [Shop] });
  await using client = new Client({ connection: env.connection() });
  await using running = await operator(env, addKeyholders, {
    fieldOwner: "keys",
    metrics: { bindAddress: "0" },
  });
  const metadata = { namespace: "default", name: "corner" };
  await client.create(Shop, {
    metadata,
    spec: { host: "corner.example.com", settings: "none" },
  });
  await running.eventually(async () =>
    expect(
      await client.get(RoleBinding, "default/corner-keyholders"),
    ).toMatchObject({
      roleRef: { name: "view" },
      subjects: [{ kind: "Group", name: "corner" }],
    }),
  );
});
