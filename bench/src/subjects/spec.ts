export type InformerName =
  | "kubewright"
  | "client-node"
  | "bare"
  | "bare, managedFields cut"
  | "bare, bodies as text"
  | "client-go"
  | "client-go, one list";
export type ReconcilerName = "kubewright" | "controller-runtime";
export type ConsoleName = "no console" | `${"overview" | "queue" | "object"} open`;
export type WebhookServerName = "kubewright" | "controller-runtime";

/** What a subject's process is told at its start. */
export type SubjectSpec =
  | {
      readonly role: "informer";
      readonly subject: InformerName;
      readonly url: string;
      readonly objects: number;
      /** What handlers look at of each object. */
      readonly read: Reading;
      readonly handlers: number;
    }
  | {
      readonly role: "reconciler";
      readonly subject: ReconcilerName;
      readonly url: string;
      /** Of a server that wants to know who asks. */
      readonly kubeconfig?: string | undefined;
      readonly objects: number;
      readonly workers: number;
      readonly writes: boolean;
      /** Whether the program has a logger whose lines are written (to nowhere), or one that is silent. */
      readonly logs: boolean;
    }
  | {
      readonly role: "console";
      readonly subject: ConsoleName;
      readonly kubeconfig: string;
      readonly objects: number;
      readonly hasConsole: boolean;
    }
  | {
      readonly role: "webhooks";
      readonly subject: WebhookServerName;
      readonly port: number;
      /** Where `tls.crt` and `tls.key` are. */
      readonly certDir: string;
    };

export type Reading = "metadata" | "everything";

/** What a subject is told while it runs, one line each; it answers each with one line of JSON. */
export type SubjectCommand =
  | { readonly do: "sync" }
  | { readonly do: "expect"; readonly events: number; readonly latency: boolean }
  | { readonly do: "await" }
  | { readonly do: "count" }
  | { readonly do: "heap" }
  | { readonly do: "read" }
  | { readonly do: "reconcile"; readonly rounds: number }
  | { readonly do: "pace"; readonly reconciles: number; readonly perSecond: number }
  | { readonly do: "console" }
  | { readonly do: "idle"; readonly ms: number };

/** What was used since the last command that measures began; all of the process, other threads too. */
export interface Usage {
  readonly cpuMicros: number;
  readonly wallMs: number;
  readonly peakRssBytes: number;
  /** Of the events of an `expect` that asked for it; milliseconds between being sent and being handled. */
  readonly latencyP50Ms?: number;
}

export interface Heap {
  readonly heapBytes: number;
  readonly rssBytes: number;
}
