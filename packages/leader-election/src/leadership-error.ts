import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
/** Thrown if this process does not lead, or no longer leads; the work now belongs to another process. */
export class NotLeadingError extends KubewrightError {
  override readonly name = "NotLeadingError";
  readonly code = "ERR_NOT_LEADING";
}

/** Reports whether an error was caused by a lack of leadership; the next leader will do the work. */
export const isNotLeadingError = isErrorWithCode<NotLeadingError>("ERR_NOT_LEADING");
