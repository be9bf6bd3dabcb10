/** How an object is shown in a log line: never the object itself. */
export interface LoggedObject {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The few words that say which object a line is about. */
export function objectRef(object: {
  readonly kind?: string | undefined;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): LoggedObject {
  const { name, namespace } = object.metadata;
  return { ...(object.kind ? { kind: object.kind } : {}), ...(namespace ? { namespace } : {}), name };
}
