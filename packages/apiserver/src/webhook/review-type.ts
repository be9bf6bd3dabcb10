import { isErrorWithCode, KubewrightError, quote } from "@kubewright/apimachinery";

/** Thrown if a webhook's response is not a valid review. The call then counts as failed. */
export class UnreadableReviewError extends KubewrightError {
  override readonly name = "UnreadableReviewError";
  readonly code = "ERR_UNREADABLE_REVIEW";
}

/** Reports whether an error is an {@link UnreadableReviewError}. */
export const isUnreadableReviewError = isErrorWithCode<UnreadableReviewError>("ERR_UNREADABLE_REVIEW");

/** The type that a webhook's response must have. */
export interface TypeOfReview {
  readonly apiVersion: string;
  readonly kind: string;
  /** Known API versions of this kind of review. */
  readonly known: ReadonlySet<string>;
}

/** Kinds in `v1`, such as Status, that do not belong to a specific API. Every API contains them. */
const unversioned: ReadonlySet<string> = new Set([
  "Status",
  "APIVersions",
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
]);

/**
 * Checks the type of a webhook's response. The response may omit its type.
 *
 * @throws {UnreadableReviewError} if the response has a different type
 */
export function checkReviewType(
  answer: Readonly<Record<string, unknown>>,
  { apiVersion: expected, kind: wanted, known }: TypeOfReview,
): void {
  const apiVersion = String(answer.apiVersion ?? "");
  const kind = String(answer.kind ?? "");
  if (kind === "" && apiVersion === "") return;
  const version = (text: string): string => text.split("/")[1] ?? "";
  if (apiVersion === "v1" && unversioned.has(kind))
    throw new UnreadableReviewError(`converting (v1.${kind}) to (${version(expected)}.${wanted}): unknown conversion`);
  const isKnown = (kind === "" || kind === wanted) && (apiVersion === "" || known.has(apiVersion));
  if (!isKnown)
    throw new UnreadableReviewError(
      `no kind ${quote(kind || wanted)} is registered for version ${quote(apiVersion || expected)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (apiVersion !== "" && apiVersion !== expected)
    throw new UnreadableReviewError(
      `converting (${version(apiVersion)}.${wanted}) to (${version(expected)}.${wanted}): unknown conversion`,
    );
}

/**
 * Checks the type of a webhook's response. The response must specify its type.
 *
 * @throws {Error} if the type is missing or is not the expected type
 */
export function checkReviewNamed(
  answer: Readonly<Record<string, unknown>>,
  { apiVersion: expected, kind: wanted }: TypeOfReview,
): void {
  const { apiVersion, kind } = answer;
  if (apiVersion === expected && kind === wanted) return;
  const given = `${String(apiVersion ?? "") || "/"}, Kind=${String(kind ?? "")}`;
  throw new Error(`expected webhook response of ${expected}, Kind=${wanted}, got ${given}`);
}
