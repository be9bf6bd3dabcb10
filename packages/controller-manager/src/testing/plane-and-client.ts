import { Client } from "@kubewright/client";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";

/** A control plane with an administrator's client, and one disposal for both. */
export interface PlaneAndClient {
  readonly plane: ControlPlane;
  readonly client: Client;
  stop(): Promise<void>;
}

export async function startPlaneAndClient(): Promise<PlaneAndClient> {
  const plane = await startControlPlane();
  const client = new Client({ connection: plane.connection() });
  return {
    plane,
    client,
    async stop() {
      await client.close();
      await plane.stop();
    },
  };
}
