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

/** The configuration of a subject's process at its start. */
export type SubjectSpec =
  | {
      readonly role: "informer";
      readonly subject: InformerName;
      readonly url: string;
      readonly objects: number;
      /** The part of each object that handlers read. */
      readonly read: Reading;
      readonly handlers: number;
    }
  | {
      readonly role: "reconciler";
      readonly subject: ReconcilerName;
      readonly url: string;
      /** For a server that requires authentication. */
      readonly kubeconfig?: string | undefined;
      readonly objects: number;
      readonly workers: number;
      readonly writes: boolean;
      /** True if the program has a logger whose lines are written (and discarded), false for a silent one. */
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
      /** Folder with `tls.crt` and `tls.key`. */
      readonly certDir: string;
    };

export type Reading = "metadata" | "everything";

/** Commands for a running subject, one per line; it answers each with one line of JSON. */
export type SubjectCommand =
  | { readonly do: "sync" }
  | { readonly do: "expect"; readonly events: number; readonly latency: boolean }
  | { readonly do: "await" }
  | { readonly do: "count" }
  | { readonly do: "heap" }
  | { readonly do: "read" }
  /** `records`: records the reconciles. Default false. */
  | { readonly do: "reconcile"; readonly rounds: number; readonly records?: boolean }
  | { readonly do: "pace"; readonly reconciles: number; readonly perSecond: number }
  | { readonly do: "console" }
  | { readonly do: "idle"; readonly ms: number };

/** Resources used by the whole process, including other threads, since the last measuring command began. */
export interface Usage {
  readonly cpuMicros: number;
  readonly wallMs: number;
  readonly peakRssBytes: number;
  /** Time between sending and handling of an event, in milliseconds, if the `expect` asked for it. */
  readonly latencyP50Ms?: number;
}

export interface Heap {
  readonly heapBytes: number;
  readonly rssBytes: number;
}
