import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
/** Thrown if this process does not lead, or no longer leads. Another process is now responsible for the work. */
export class NotLeadingError extends KubewrightError {
  override readonly name = "NotLeadingError";
  readonly code = "ERR_NOT_LEADING";
}

/** Reports whether an error is a {@link NotLeadingError}. The next leader will do the work. */
export const isNotLeadingError = isErrorWithCode<NotLeadingError>("ERR_NOT_LEADING");
