import { Environment } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { Client, Connection, createOrUpdate } from "./index.ts";
import { ConfigMap, Namespace } from "./kinds/index.ts";

async function main(connection: Connection): Promise<string[]> {
  const client = new Client({ connection, fieldOwner: "readme" });
  await client.create(Namespace, { metadata: { name: "shop" } });

  const configMap = await createOrUpdate(client, ConfigMap, "shop/settings", (draft) => {
    draft.data = { colour: "green" };
  });
  await client.patch(ConfigMap, configMap, { data: { owner: "me" } });
  await client.apply(ConfigMap, { metadata: { name: "settings", namespace: "shop" }, data: { size: "8" } });

  const seen: string[] = [];
  for await (const event of client.watch(ConfigMap, { namespace: "shop" })) {
    if (event.type === "BOOKMARK") continue;
    seen.push(`${event.type} ${event.object.metadata.name} ${Object.keys(event.object.data ?? {}).join()}`);
    break; // otherwise, the watch continues with changes
  }
  return seen; // ["ADDED settings colour,owner,size"]
}

it("runs the example of the README", async () => {
  await using env = await Environment.start();
  await using connection = new Connection(env.connection());

  expect(await main(connection)).toEqual(["ADDED settings colour,owner,size"]);
});
