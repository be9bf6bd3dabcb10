/** The test bed in use cannot do this; another can. A suite that runs on both beds lists these instead of failing. */
export class NotSupportedByTestBed extends Error {
  override readonly name = "NotSupportedByTestBed";
}

/** Whether the bed in use cannot do what was asked, so that a suite that runs on both may list it and go on. */
export const isNotSupportedByTestBed = (error: unknown): error is NotSupportedByTestBed =>
  error instanceof NotSupportedByTestBed;
