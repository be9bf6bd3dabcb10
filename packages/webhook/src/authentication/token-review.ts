import { isRecord, parseJson, stringifyJson } from "@kubewright/apimachinery";
import { objectField, ReviewError, reviewVersion, textField, textsField } from "../review/fields.ts";
import type { TokenReviewResponse } from "./token-response.ts";

/** A request from an API server. @see api/authentication/v1 TokenReview */
export interface TokenReviewRequest {
  readonly uid: string;
  readonly name: string;
  readonly token: string;
  /** Audiences for which the token must be valid. If empty, the token must be valid for the API server itself. */
  readonly audiences: readonly string[];
}

const versions = ["authentication.k8s.io/v1", "authentication.k8s.io/v1beta1"] as const;

/** Reads a TokenReview. @throws {SyntaxError | ReviewError} if the text is not one */
export function readTokenReview(text: string): { readonly apiVersion: string; readonly request: TokenReviewRequest } {
  const review = parseJson(text);
  if (!isRecord(review)) throw new ReviewError("a TokenReview must be an object");
  const apiVersion = reviewVersion(review, "TokenReview", versions);
  const metadata = objectField(review, "metadata", "review") ?? {};
  const spec = objectField(review, "spec", "review") ?? {};
  const request = {
    uid: textField(metadata, "uid", "metadata"),
    name: textField(metadata, "name", "metadata"),
    token: textField(spec, "token", "spec"),
    audiences: textsField(spec, "audiences", "spec"),
  };
  return { apiVersion, request };
}

/** Serializes a TokenReview with this status. The result does not contain the token. */
export function writeTokenReview(apiVersion: string, uid: string, status: TokenReviewResponse): string {
  const metadata = uid === "" ? {} : { uid };
  return stringifyJson({ kind: "TokenReview", apiVersion, metadata, spec: {}, status });
}

/** API version used in responses to unreadable requests. */
export const authenticationV1: string = versions[0];
