/** A request as received. */
export interface CnfRequest {
  readonly method: string;
  /** As in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined if no body was announced. */
  readonly body: Buffer | undefined;
  /** True for a chunked body without a length, which a CNF treats as empty. */
  readonly isChunked: boolean;
}

/** Returns the value of a header; several values are joined. */
export function header(request: CnfRequest, name: string): string {
  const value = request.headers[name] ?? "";
  return typeof value === "string" ? value : value.join("; ");
}
