/**
 * Thrown for an operation that this test bed does not support. A test suite that runs on both beds can report this
 * error instead of failing.
 */
export class NotSupportedByTestBed extends Error {
  override readonly name = "NotSupportedByTestBed";
}

/** Reports whether the error is for an operation that this test bed does not support. */
export const isNotSupportedByTestBed = (error: unknown): error is NotSupportedByTestBed =>
  error instanceof NotSupportedByTestBed;
