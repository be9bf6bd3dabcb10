import { Client, Connection } from "kubewright";
import { byDiscovery, byName, byRest, byType } from "./clients.ts";
import { deploymentOf, podsOn, until } from "./look.ts";

/**
 * Prints the pods on a node every ten seconds, each read in four ways. All
 * clients use one kubeconfig, given as path or text.
 */
export async function main(
  kubeconfig: string,
  { node, labels }: { readonly node: string; readonly labels: string },
  signal: AbortSignal,
  print: (line: string) => void = console.log,
): Promise<void> {
  const connection = Connection.fromKubeConfig(kubeconfig);
  await using client = new Client({ connection });
  print(await byDiscovery(client, "pods"));
  await until(signal, 10_000, async () => {
    for (const key of await podsOn(client, node, labels)) {
      const objects = [
        await byRest(connection, key),
        await byType(client, key),
        await byName(client, key),
      ];
      const same =
        new Set(objects.map((object) => JSON.stringify(object))).size === 1;
      print(
        `${key} of ${(await deploymentOf(client, key)) ?? "nobody"}, ${same ? "the same" : "not the same"} three times`,
      );
    }
  });
}
