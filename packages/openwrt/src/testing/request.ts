/** A request as it came over the wire. */
export interface CnfRequest {
  readonly method: string;
  /** As on the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined: none was announced. */
  readonly body: Buffer | undefined;
  /** Its body came in chunks, of no announced length, which a CNF takes for empty. */
  readonly isChunked: boolean;
}

/** One value of a header; several are joined. */
export function header(request: CnfRequest, name: string): string {
  const value = request.headers[name] ?? "";
  return typeof value === "string" ? value : value.join("; ");
}
