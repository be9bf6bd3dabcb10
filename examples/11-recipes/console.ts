import { addConsole } from "@kubewright/console";
import { byKey, type Manager } from "kubewright";
import { Shop } from "./shop.ts";

// #region console
/** Serves a console on loopback. The printed address signs one browser in. */
export async function showConsole(
  manager: Manager,
  print: (url: string) => void,
): Promise<void> {
  const view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
  view.panel({
    id: "shops",
    title: "Shops",
    columns: [
      { id: "name", title: "Shop" },
      { id: "host", title: "Host" },
    ],
    rows: async () =>
      (await manager.client.list(Shop))
        .toSorted(byKey)
        .map(({ metadata, spec }) => ({
          name: metadata.name,
          host: spec.host,
        })),
  });
  await view.ready(); // it listens once the manager runs
  print(view.newUrl());
}
// #endregion console
