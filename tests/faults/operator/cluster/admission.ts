import type { CertificateSource, HttpCall } from "@kubewright/webhook";
import { type ApiResource, apiVersionOf } from "./api-resource.ts";

/** An object as sent or stored. */
export interface ReviewedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A request of an API server to a webhook. */
export interface Review {
  readonly path: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly resource: ApiResource;
  readonly after?: ReviewedObject | undefined;
  readonly before?: ReviewedObject | undefined;
}

/** Timeout of the API server. */
const timeout = "10s";

export function callOf({ path, user, operation, resource, after, before }: Review, signal: AbortSignal): HttpCall {
  const { group, version, kind, plural } = resource;
  const whole = (object: ReviewedObject | undefined) =>
    object && { apiVersion: apiVersionOf(resource), kind, ...object };
  const { name, namespace } = (after ?? before)?.metadata ?? {};
  const request = {
    uid: "1",
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    name,
    namespace,
    operation,
    userInfo: user,
    ...(after ? { object: whole(after) } : {}),
    ...(before ? { oldObject: whole(before) } : {}),
  };
  const text = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
  return {
    path,
    query: new URLSearchParams({ timeout }),
    headers: { "content-type": "application/json" },
    body: oneChunk(text),
    signal,
  };
}

async function* oneChunk(text: string): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(text);
}

/** Matches the refusals of the operator's webhooks. Failures have the same code, but other texts. */
const refusals = /^(User\(|Annotation '|Label ')/;

/** Returns the decision in an answer; undefined for a failure. */
export function verdictIn(text: string): boolean | undefined {
  const { response } = JSON.parse(text) as { response: { allowed: boolean; status?: { message?: string } } };
  if (response.allowed) return true;
  return refusals.test(response.status?.message ?? "") ? false : undefined;
}

/** Never has a certificate: the webhooks are called in this process, without a port. */
export const noCertificate: CertificateSource = {
  current: undefined,
  onChange: () => () => {},
  run: (signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  check: () => {
    throw new Error("nothing is served on a port here");
  },
};
