/** Reason why a request was queued: a change of an object. */
export interface Cause {
  /** Source of the change: `Deployment.apps`, or a source's own description. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic";
  /** Key of the changed object, which may differ from the reconciled one. */
  readonly key: string;
  /** Resource version of that object after the change. Absent if the source does not know it. */
  readonly resourceVersion?: string | undefined;
}

/** Returns a key by which causes that differ only in their version are merged; the latest is kept. */
export const causeKey = ({ source, type, key }: Cause): string => `${source}\u0000${type}\u0000${key}`;
