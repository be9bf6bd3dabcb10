import { isRecord } from "@kubewright/apimachinery";
import { bodyOf, type InProcessRequest, type InProcessResponse, jsonResponse } from "../cluster/api-call.ts";
import type { LiveCopy } from "./live-copy.ts";

/** Maximum number of objects that a sentence names. */
const maxNamed = 5;

/** Collects the limits of a plan: everything that it does not take into account. */
export class LiveLimits {
  /** Objects, keyed by the webhooks of the live cluster that would be called for them. */
  readonly #webhooks = new Map<string, Set<string>>();
  readonly #conversions = new Set<string>();
  readonly #groups = new Set<string>();
  readonly #own: ReadonlySet<string>;

  /** @param own names of webhooks that the program serves itself; they are added when they are known */
  constructor(own: ReadonlySet<string>) {
    this.#own = own;
  }

  /** Responds to calls to the live cluster's webhooks: admits every request, and records it. */
  readonly admit = async ({ path, body }: InProcessRequest): Promise<InProcessResponse> => {
    const review: unknown = JSON.parse(Buffer.from(body ?? "").toString());
    const { apiVersion, request } = isRecord(review) ? review : {};
    const { uid, kind, namespace, name } = isRecord(request) ? request : {};
    const webhook = decodeURIComponent((path.split("?")[0] ?? "").slice(1));
    const key = [namespace, name].filter((each) => typeof each === "string" && each !== "").join("/");
    if (!this.#own.has(webhook)) {
      const objects = this.#webhooks.get(webhook) ?? new Set();
      this.#webhooks.set(webhook, objects.add(`${isRecord(kind) ? String(kind.kind) : ""} ${key}`.trim()));
    }
    return jsonResponse(200, { apiVersion, kind: "AdmissionReview", response: { uid, allowed: true } });
  };

  /** Rejects conversions of other operators' objects. */
  readonly convert = async ({ path }: InProcessRequest): Promise<InProcessResponse> => {
    const definition = (path.split("?")[0] ?? "").slice(1);
    this.#conversions.add(definition);
    return jsonResponse(500, { message: `a plan does not call the conversion webhook for ${definition}` });
  };

  /** Records a request by the program for a group that the copy does not have. */
  noteMissing(group: string): void {
    this.#groups.add(group);
  }

  /** Returns the limits as sentences. */
  async texts(copy: LiveCopy, isConfirmed: boolean): Promise<string[]> {
    const limits: string[] = [];
    if (!isConfirmed)
      for (const [webhook, objects] of this.#webhooks)
        limits.push(
          `the live webhook ${webhook} was not called for ${named([...objects])} (--confirm sends the final objects to it)`,
        );
    for (const definition of this.#conversions)
      limits.push(`the conversion webhook for ${definition}, which another program serves, was not called`);
    for (const group of this.#groups) {
      const services = await copy.document(`/apis/apiregistration.k8s.io/v1/apiservices?limit=500`);
      const items: readonly unknown[] = Array.isArray(services?.items) ? services.items : [];
      const isAggregated = items.some(
        (item) => isRecord(item) && isRecord(item.spec) && item.spec.group === group && item.spec.service !== undefined,
      );
      if (isAggregated) limits.push(`the group ${group} is served by an aggregated API, which a plan does not support`);
    }
    for (const resource of copy.denied.keys())
      limits.push(`${resource} were not taken into account, because you may not list them`);
    if (copy.mixed.size > 0) {
      const others = [...copy.mixed].map(([resource, version]) => `${resource} at ${version}`);
      limits.push(
        `the cluster changed while it was copied at resource version ${copy.revision}: ${named(others)}; plan again for a consistent result`,
      );
    }
    limits.push("other operators and the cluster's controllers did not run");
    return limits;
  }
}

const named = (names: readonly string[]): string =>
  `${names.slice(0, maxNamed).join(", ")}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ""}`;

/** Reports whether a response means that the API server does not have a group. */
export async function isUnserved(response: InProcessResponse): Promise<boolean> {
  return (await bodyOf(response)).toString().trim() === "404 page not found";
}
