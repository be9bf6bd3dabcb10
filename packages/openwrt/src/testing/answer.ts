/** What goes back over the wire. */
export interface Answer {
  readonly status: number;
  /** Text of the status line. Default the usual one of the status. */
  readonly reason?: string;
  /** Absent: no such header. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Thrown by a handler that refuses a request. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * An error that the reference does not catch: answered 500, its text as body, and changes stay staged.
 * The message says where in the reference, as its own does.
 */
export class LuaError extends Error {
  override readonly name = "LuaError";

  constructor(file: string, line: number, message: string) {
    super(`/usr/lib/lua/luci/controller/rest_v1/${file}.lua:${line}: ${message}`);
  }
}
