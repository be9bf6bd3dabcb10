/** The test bed in use cannot do this; another can. A suite that runs on both beds lists these instead of failing. */
export class NotSupportedByTestBed extends Error {
  override readonly name = "NotSupportedByTestBed";
}

export const isNotSupportedByTestBed = (error: unknown): error is NotSupportedByTestBed =>
  error instanceof NotSupportedByTestBed;
