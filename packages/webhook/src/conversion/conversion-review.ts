import { isRecord, parseJson, stringifyJson } from "@kubewright/apimachinery";
import { objectField, ReviewError, reviewVersion, textField } from "../review/fields.ts";

/** A request from an API server. @see apiextensions-apiserver pkg/apis/apiextensions/v1 ConversionRequest */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

export type ConversionResult = { readonly objects: readonly unknown[] } | { readonly message: string };

/** Reads a ConversionReview. @throws {SyntaxError | ReviewError} if the text is not a review, or has no request */
export function readConversionReview(text: string): {
  readonly apiVersion: string;
  readonly request: ConversionRequest;
} {
  const review = parseJson(text);
  if (!isRecord(review)) throw new ReviewError("a ConversionReview must be an object");
  const apiVersion = reviewVersion(review, "ConversionReview", [
    "apiextensions.k8s.io/v1",
    "apiextensions.k8s.io/v1beta1",
  ]);
  const request = objectField(review, "request", "review");
  if (!request) throw new ReviewError("conversion request is nil");
  const objects = request.objects ?? [];
  if (!Array.isArray(objects)) throw new ReviewError("request.objects: expected a list");
  const desiredAPIVersion = textField(request, "desiredAPIVersion", "request");
  return { apiVersion, request: { uid: textField(request, "uid", "request"), desiredAPIVersion, objects } };
}

export function writeConversionReview(apiVersion: string, uid: string, result: ConversionResult): string {
  const response =
    "objects" in result
      ? { uid, convertedObjects: result.objects, result: { metadata: {}, status: "Success" } }
      : { uid, convertedObjects: [], result: { metadata: {}, status: "Failure", message: result.message } };
  return stringifyJson({ kind: "ConversionReview", apiVersion, response });
}
