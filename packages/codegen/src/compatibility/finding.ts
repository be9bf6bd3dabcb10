/** A change that breaks objects or clients that there are. */
export interface Finding {
  /** Version and field, such as `v1 spec.ports[].name`, or the definition's own, such as `spec.scope`. */
  readonly path: string;
  /** What changed, and what it breaks. */
  readonly message: string;
}

export const finding = (path: string, message: string): Finding => ({ path, message });
