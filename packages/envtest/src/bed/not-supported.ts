/** Error for an operation that this test bed does not support. A suite for both beds can report these instead of failing. */
export class NotSupportedByTestBed extends Error {
  override readonly name = "NotSupportedByTestBed";
}

/** Returns true for an operation that this test bed does not support. */
export const isNotSupportedByTestBed = (error: unknown): error is NotSupportedByTestBed =>
  error instanceof NotSupportedByTestBed;
