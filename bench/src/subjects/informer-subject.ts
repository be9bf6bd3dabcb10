import type { Reading } from "./spec.ts";

/** The part of a Pod that handlers read, in a form that all subjects' types have. */
export interface ReadPod {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly resourceVersion?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly annotations?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly containers?: readonly {
          readonly image?: string | undefined;
          readonly env?: readonly { readonly name?: string | undefined }[] | undefined;
        }[];
      }
    | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly conditions?: readonly { readonly type?: string | undefined }[] | undefined;
        readonly containerStatuses?: readonly { readonly restartCount?: number | undefined }[] | undefined;
      }
    | undefined;
}

export interface InformerSubject {
  /** Starts the informer. Each handler calls `onAdded` and `onUpdated` for each object. Runs until the process ends. */
  start(handler: PodHandler, handlers: number): Promise<void> | void;
  /** All objects that the informer holds. */
  objects(): Iterable<ReadPod>;
}

export interface PodHandler {
  added(pod: ReadPod): void;
  updated(pod: ReadPod): void;
}

/** Reads the fields that a handler would read. The returned sum prevents the compiler from removing the reads. */
export function readPod(pod: ReadPod, reading: Reading): number {
  const { name = "", namespace = "", resourceVersion = "", labels = {} } = pod.metadata ?? {};
  const seen =
    name.length + namespace.length + resourceVersion.length + (labels["app.kubernetes.io/name"]?.length ?? 0);
  return reading === "metadata" ? seen : seen + readBody(pod);
}

function readBody({ spec, status }: ReadPod): number {
  let seen = (spec?.nodeName?.length ?? 0) + (status?.phase?.length ?? 0);
  for (const { image = "", env = [] } of spec?.containers ?? []) {
    seen += image.length;
    for (const { name = "" } of env) seen += name.length;
  }
  for (const { type = "" } of status?.conditions ?? []) seen += type.length;
  for (const { restartCount = 0 } of status?.containerStatuses ?? []) seen += restartCount;
  return seen;
}
