const longestBody = 16_384;
const longestMessage = 2_048;

/** Thrown if a CNF rejected a request or returned an unexpected response. */
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
 * Thrown if a response has a status below 400 but cannot be used because it is a redirect, an HTML page or not JSON,
 * contains `null` instead of an object, or is too long. `code` is the status, so it is below 400.
 */
export class UnexpectedResponseError extends OpenWrtError {
  override readonly name = "UnexpectedResponseError";
}

/**
 * Thrown if the CNF cannot store an object with the requested name. Section names on the reference CNF consist of letters, digits and `_`.
 * For any other name, the reference CNF returns 201 or 200 with `null` instead of an error.
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

/** Thrown if the CNF's response exceeded the limit and was truncated. */
export class ResponseTooLargeError extends UnexpectedResponseError {
  constructor(code: number, attempt: string, limitBytes: number) {
    const remedy = "if this is the expected size, increase maxResponseBytes";
    super(code, `${attempt}: the response is larger than ${limitBytes} bytes; ${remedy}`);
  }
}

/**
 * Thrown if no response arrived because the connection failed or the request timed out. `cause` is the underlying
 * error.
 */
export class OpenWrtNetworkError extends Error {
  override readonly name = "OpenWrtNetworkError";
  readonly code = "ERR_OPENWRT_NETWORK";
  /** True if connecting or waiting for the response timed out. The CNF may still finish an action that it has started. */
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

/** Reports whether an error is an {@link OpenWrtError} with the given status, if any. */
export function isOpenWrtError(error: unknown, code?: number): error is OpenWrtError {
  return error instanceof OpenWrtError && (code === undefined || error.code === code);
}

/**
 * Reports whether an error is an {@link UnexpectedResponseError}: the CNF reported success, but its response cannot be
 * used.
 */
export function isUnexpectedResponseError(error: unknown): error is UnexpectedResponseError {
  return error instanceof UnexpectedResponseError;
}

/** Reports whether an error is a {@link NameNotStorableError}: the CNF cannot store an object with the requested name. */
export function isNameNotStorableError(error: unknown): error is NameNotStorableError {
  return error instanceof NameNotStorableError;
}

/** Reports whether an error is an {@link OpenWrtNetworkError}, which means that no response arrived. */
export function isOpenWrtNetworkError(error: unknown): error is OpenWrtNetworkError {
  return error instanceof Error && "code" in error && error.code === "ERR_OPENWRT_NETWORK";
}

/**
 * Reports whether an error means that the requested object does not exist. Returns false if the response is an HTML
 * page with status 404, because this means that the CNF does not have the collection.
 */
export function isObjectNotFound(error: unknown): error is OpenWrtError {
  return isOpenWrtError(error, 404) && error.body.trimStart().startsWith("{");
}
