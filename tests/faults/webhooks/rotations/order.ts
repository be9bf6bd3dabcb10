import type { TestConnection } from "@kubewright/envtest";

/** The configuration of a replica, as JSON in its first argument. */
export interface ReplicaOrder {
  readonly connection: TestConnection;
  readonly secret: string;
  readonly configuration: string;
  readonly times: Readonly<Record<string, number>>;
}

/** The reports of a replica, one line of JSON each. */
export type ReplicaReport = { readonly port: number } | { readonly phase: string } | { readonly ready: boolean };
