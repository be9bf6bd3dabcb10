import type { ConnectionSettings } from "@kubewright/client";

/** What a process is told, as JSON in its one argument. */
export interface ContenderOrder {
  readonly connection: ConnectionSettings;
  /** Name of the Lease, and of the ConfigMap that leaders write. */
  readonly group: string;
  readonly identity: string;
  /** Writes under way at a time. */
  readonly writers: number;
}

export const leaseDurationMs = 2_000;
