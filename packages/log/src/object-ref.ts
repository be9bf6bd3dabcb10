/** An object as shown in log lines. */
export interface LoggedObject {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns the kind, namespace and name of an object, for log lines. */
export function objectRef(object: {
  readonly kind?: string | undefined;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): LoggedObject {
  const { name, namespace } = object.metadata;
  return { ...(object.kind ? { kind: object.kind } : {}), ...(namespace ? { namespace } : {}), name };
}
