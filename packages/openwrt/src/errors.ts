const longestBody = 16_384;
const longestMessage = 2_048;

/** A CNF refused a request, or answered what it must not. */
export class OpenWrtError extends Error {
  override readonly name: string = "OpenWrtError";
  /** Status of the answer. */
  readonly code: number;
  /** The answer's body as it came, but for secrets, and for what follows its first 16,384 characters. */
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
 * The status says success, the answer does not: a redirect, a page, no JSON, `null` in place of an object, or more bytes than
 * an answer may have. `code` is the status, so below 400.
 */
export class UnexpectedAnswerError extends OpenWrtError {
  override readonly name = "UnexpectedAnswerError";
}

/**
 * The CNF cannot hold an object of this name. The reference CNF says 201 or 200 with `null` instead of refusing: its section
 * names are letters, digits and `_`.
 */
export class NameNotStorableError extends OpenWrtError {
  override readonly name = "NameNotStorableError";
  /** As it was asked for. */
  readonly objectName: string;

  constructor(code: number, objectName: string) {
    super(code, `the CNF cannot hold an object named "${objectName}"`);
    this.objectName = objectName;
  }
}

/** The CNF sends more than an answer may hold, and was cut off. */
export class AnswerTooLargeError extends UnexpectedAnswerError {
  constructor(code: number, attempt: string, limitBytes: number) {
    const remedy = "if the CNF rightly holds that much, raise maxAnswerBytes";
    super(code, `${attempt}: the answer is longer than ${limitBytes} bytes; ${remedy}`);
  }
}

/** No answer came: the connection failed, or time ran out. `cause` says why. */
export class OpenWrtNetworkError extends Error {
  override readonly name = "OpenWrtNetworkError";
  /** Time ran out, for the connection or for the answer. What the CNF has begun by then it may finish. */
  readonly isTimeout: boolean;

  constructor(
    attempt: string,
    reason: string,
    options: { readonly cause?: unknown; readonly isTimeout?: boolean } = {},
  ) {
    super(`${attempt}: ${reason}`, { cause: options.cause });
    this.isTimeout = options.isTimeout ?? false;
  }
}

/** Whether the CNF answered with an error; with `code`, with that one. */
export function isOpenWrtError(error: unknown, code?: number): error is OpenWrtError {
  return error instanceof OpenWrtError && (code === undefined || error.code === code);
}

/** Whether no answer came at all. */
export function isOpenWrtNetworkError(error: unknown): error is OpenWrtNetworkError {
  return error instanceof OpenWrtNetworkError;
}

/**
 * Whether the CNF says that there is no such object. A 404 page, which says that it does not know the collection, is not meant.
 */
export function isObjectNotFound(error: unknown): error is OpenWrtError {
  return isOpenWrtError(error, 404) && error.body.trimStart().startsWith("{");
}
