/** HTTP response from the simulator. */
export interface CnfResponse {
  readonly status: number;
  /** Text in the status line. Default: the usual text for the status. */
  readonly reason?: string | undefined;
  /** Value of the `Content-Type` header. If absent, the header is not sent. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string;
}

/** Thrown by a handler that rejects a request. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * An error that the reference CNF does not catch. The CNF then returns status 500 with the message as the body, and
 * staged changes remain staged. As in the reference CNF, the message contains a source code position.
 */
export class LuaError extends Error {
  override readonly name = "LuaError";

  constructor(file: string, line: number, message: string) {
    super(`/usr/lib/lua/luci/controller/rest_v1/${file}.lua:${line}: ${message}`);
  }
}
