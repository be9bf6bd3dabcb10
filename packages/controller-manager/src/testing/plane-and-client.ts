import { Client } from "@kubewright/client";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../control-plane.ts";

/** A control plane and an administrator's client for it. They are disposed of together. */
export interface PlaneAndClient {
  readonly plane: ControlPlane;
  readonly client: Client;
  stop(): Promise<void>;
}

export async function startPlaneAndClient(options: ControlPlaneOptions = {}): Promise<PlaneAndClient> {
  const plane = await startControlPlane(options);
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
