import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";

/**
 * Thrown for an operation that this test bed does not support. A test suite that runs on both test beds can report this
 * error instead of failing.
 */
export class NotSupportedByTestBedError extends KubewrightError {
  override readonly name = "NotSupportedByTestBedError";
  readonly code = "ERR_NOT_SUPPORTED_BY_TEST_BED";
}

/** Reports whether an error is a {@link NotSupportedByTestBedError}. */
export const isNotSupportedByTestBedError = isErrorWithCode<NotSupportedByTestBedError>(
  "ERR_NOT_SUPPORTED_BY_TEST_BED",
);
