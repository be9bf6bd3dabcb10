import type { Manager, ManagerOptions } from "kubewright";
import { addSites } from "./sites.ts";

// #region operator
export const options: ManagerOptions = {
  name: "sites",
  leaderElection: { id: "sites.shop.example.com" },
};

export function setup(manager: Manager): void {
  const finalizer = "shop.example.com/record";
  addSites(manager, { finalizer, owners: ["migration"] });
}
// #endregion operator
