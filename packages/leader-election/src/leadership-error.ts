import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
/** Thrown if this process is not, or no longer, the leader. Another process is responsible for the work. */
export class NotLeadingError extends KubewrightError {
  override readonly name = "NotLeadingError";
  readonly code = "ERR_NOT_LEADING";
}

/** Reports whether an error is a {@link NotLeadingError}. If so, the next leader will do the work. */
export const isNotLeadingError = isErrorWithCode<NotLeadingError>("ERR_NOT_LEADING");
