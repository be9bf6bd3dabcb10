import type { ConnectionSettings } from "@kubewright/client";

/** The configuration of a process, as JSON in its only argument. */
export interface ContenderOrder {
  readonly connection: ConnectionSettings;
  /** Name of the Lease, and of the ConfigMap that leaders write. */
  readonly group: string;
  readonly identity: string;
  /** Number of concurrent writes. */
  readonly writers: number;
}

export const leaseDurationMs = 2_000;
