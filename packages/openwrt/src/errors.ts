const longestBody = 16_384;
const longestMessage = 2_048;

/** Thrown if a CNF refused a request, or returned an unexpected response. */
export class OpenWrtError extends Error {
  override readonly name: string = "OpenWrtError";
  /** HTTP status of the response. */
  readonly code: number;
  /** First 16,384 characters of the response body, without secrets. */
  readonly body: string;

  constructor(code: number, body: string) {
    super(`Error Code: ${code}, Error Message: ${cut(body, longestMessage)}`);
    this.code = code;
    this.body = cut(body, longestBody);
  }
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}...` : text;

/**
 * Thrown if a response has a status below 400, but is not usable: a redirect, an HTML page, not JSON, `null` in place of an object, or too
 * long. `code` is the status, so it is below 400.
 */
export class UnexpectedAnswerError extends OpenWrtError {
  override readonly name = "UnexpectedAnswerError";
}

/**
 * Thrown if the CNF cannot store an object with this name. Section names of the reference CNF consist of letters, digits and `_`. For
 * other names, it returns 201 or 200 with `null` instead of an error.
 */
export class NameNotStorableError extends OpenWrtError {
  override readonly name = "NameNotStorableError";
  /** The requested name. */
  readonly objectName: string;

  constructor(code: number, objectName: string) {
    super(code, `the CNF cannot store an object named "${objectName}"`);
    this.objectName = objectName;
  }
}

/** Thrown if the response of the CNF exceeded the limit and was truncated. */
export class AnswerTooLargeError extends UnexpectedAnswerError {
  constructor(code: number, attempt: string, limitBytes: number) {
    const remedy = "if this is the expected size, increase maxAnswerBytes";
    super(code, `${attempt}: the response is longer than ${limitBytes} bytes; ${remedy}`);
  }
}

/** Thrown if no response arrived because the connection failed or the request timed out. `cause` contains the reason. */
export class OpenWrtNetworkError extends Error {
  override readonly name = "OpenWrtNetworkError";
  readonly code = "ERR_OPENWRT_NETWORK";
  /** True if the connection or the answer timed out. The CNF may still finish what it has begun. */
  readonly isTimeout: boolean;

  constructor(
    attempt: string,
    reason: string,
    options: { readonly cause?: unknown; readonly isTimeout?: boolean | undefined } = {},
  ) {
    super(`${attempt}: ${reason}`, { cause: options.cause });
    this.isTimeout = options.isTimeout ?? false;
  }
}

/** Reports whether an error is an error response of the CNF, optionally with a specific `code`. */
export function isOpenWrtError(error: unknown, code?: number): error is OpenWrtError {
  return error instanceof OpenWrtError && (code === undefined || error.code === code);
}

/** Reports whether the CNF answered with success, but not with a usable answer. */
export function isUnexpectedAnswerError(error: unknown): error is UnexpectedAnswerError {
  return error instanceof UnexpectedAnswerError;
}

/** Reports whether the CNF cannot store an object with the requested name. */
export function isNameNotStorableError(error: unknown): error is NameNotStorableError {
  return error instanceof NameNotStorableError;
}

/** Reports whether no answer arrived at all. */
export function isOpenWrtNetworkError(error: unknown): error is OpenWrtNetworkError {
  return error instanceof Error && "code" in error && error.code === "ERR_OPENWRT_NETWORK";
}

/**
 * Reports whether the error means that the object does not exist. A 404 HTML page does not count, because it means that the CNF does not
 * know the collection.
 */
export function isObjectNotFound(error: unknown): error is OpenWrtError {
  return isOpenWrtError(error, 404) && error.body.trimStart().startsWith("{");
}
