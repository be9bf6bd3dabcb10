/** Why a request was queued: which change of which object. */
export interface Cause {
  /** Where the change was seen: `Deployment.apps`, or a source's own description. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic";
  /** Of the object that changed, which need not be the one that is reconciled. */
  readonly key: string;
  /** Of that object, after the change. Absent where the source knows none. */
  readonly resourceVersion?: string | undefined;
}

/** Causes that differ in their version only are one; the latest stays. */
export const causeKey = ({ source, type, key }: Cause): string => `${source}\u0000${type}\u0000${key}`;
