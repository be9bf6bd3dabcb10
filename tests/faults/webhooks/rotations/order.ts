import type { TestConnection } from "@kubewright/envtest";

/** What a replica is told, as JSON in its first argument. */
export interface ReplicaOrder {
  readonly connection: TestConnection;
  readonly secret: string;
  readonly configuration: string;
  readonly times: Readonly<Record<string, number>>;
}

/** What a replica tells, a line of JSON each. */
export type ReplicaReport = { readonly port: number } | { readonly phase: string } | { readonly ready: boolean };
