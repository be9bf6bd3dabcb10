import { KubewrightError } from "../value/kubewright-error.ts";

/** Thrown if a patch cannot be applied to a document. */
export class PatchError extends KubewrightError {
  override readonly name: string = "PatchError";
  readonly code: string = "ERR_PATCH";
}

/** Reports whether an error is a {@link PatchError}, which includes `JsonPatchError`. */
export const isPatchError = (error: unknown): error is PatchError =>
  error instanceof Error &&
  "code" in error &&
  ["ERR_PATCH", "ERR_JSON_PATCH", "ERR_JSON_PATCH_TEST"].includes(String(error.code));
