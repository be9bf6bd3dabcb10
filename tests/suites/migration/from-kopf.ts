import type { Manager, ManagerOptions } from "kubewright";
import { addSites } from "./sites.ts";

// #region operator
export const options: ManagerOptions = {
  name: "sites",
  leaderElection: { id: "sites.shop.example.com" },
};

export function setup(manager: Manager): void {
  const finalizer = "kopf.zalando.org/KopfFinalizerMarker";
  addSites(manager, { finalizer, owners: ["OpenAPI-Generator"] });
}
// #endregion operator
