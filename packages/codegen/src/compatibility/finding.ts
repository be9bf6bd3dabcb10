/** A change that breaks existing objects or clients. */
export interface Finding {
  /** Version and field, such as `v1 spec.ports[].name`, or a field of the CRD, such as `spec.scope`. */
  readonly path: string;
  /** Description of the change and its consequence. */
  readonly message: string;
}

export const finding = (path: string, message: string): Finding => ({ path, message });
