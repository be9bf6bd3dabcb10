/** A request as received by the simulator. */
export interface CnfRequest {
  readonly method: string;
  /** Path as written in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Body of the request. Undefined if the headers do not announce a body. */
  readonly body: Buffer | undefined;
  /** True if the body is chunked and has no length. A CNF treats such a body as empty. */
  readonly isChunked: boolean;
}

/** Returns the value of a header. Multiple values are joined. */
export function header(request: CnfRequest, name: string): string {
  const value = request.headers[name] ?? "";
  return typeof value === "string" ? value : value.join("; ");
}
