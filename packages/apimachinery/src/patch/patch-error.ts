/** The patch cannot be applied to the document. */
export class PatchError extends Error {
  override readonly name: string = "PatchError";
}
