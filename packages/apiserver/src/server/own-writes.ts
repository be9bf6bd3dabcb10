import type { Clock } from "@kubewright/clock";
import type { WriteContext } from "../registry/store-requests.ts";

/** Returns the context for writes made by the server itself. */
export const serverContext = (clock: Clock, namespace: string): WriteContext => ({
  user: { name: "system:apiserver", groups: ["system:masters"] },
  nowMs: clock.now(),
  namespace,
  dryRun: false,
  warn: () => {},
});
