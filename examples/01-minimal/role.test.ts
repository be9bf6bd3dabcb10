import { Environment } from "@kubewright/envtest";
import { Client } from "kubewright";
import { Deployment } from "kubewright/kinds";
import { program } from "kubewright/testing";
import { expect, it } from "vitest";
import { main, Site } from "./main.ts";
import { role } from "./role.ts";

const shop = { namespace: "default", name: "shop" };

it("works with the permissions of its role", async () => {
  await using env = await Environment.start({ crds: [Site] });
  await using client = new Client({ connection: env.connection() });
  await using running = await program([{ env, role }], ([connection], signal) =>
    main(connection, signal),
  );
  await client.create(Site, {
    metadata: shop,
    spec: { image: "nginx", replicas: 2 },
  });
  await running.eventually(async () =>
    expect((await client.get(Deployment, shop)).spec.replicas).toBe(2),
  );
  await client.status.patch(Deployment, shop, {
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  });
  await running.eventually(async () =>
    expect((await client.get(Site, shop)).status?.readyReplicas).toBe(2),
  );
});
