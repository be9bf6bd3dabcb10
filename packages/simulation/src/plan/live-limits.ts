import { isRecord } from "@kubewright/apimachinery";
import { type InProcessRequest, type InProcessResponse, jsonResponse } from "../cluster/api-call.ts";
import type { LiveCopy } from "./live-copy.ts";

/** Maximum number of objects that a sentence names. */
const maxNamed = 5;

/** Collects a plan's limitations: everything that it does not take into account. */
export class LiveLimits {
  /** Objects, keyed by the webhooks of the live cluster that would be called for them. */
  readonly #webhooks = new Map<string, Set<string>>();
  readonly #conversions = new Set<string>();
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

  /** Describes a group that the live cluster serves and the copy does not; undefined if the live cluster does not serve it either. */
  async missingText(copy: LiveCopy, group: string): Promise<string | undefined> {
    const services = await itemsOf(copy, "/apis/apiregistration.k8s.io/v1/apiservices?limit=500", "items");
    const own = services.filter(isAggregated).filter(({ spec }) => spec.group === group);
    if (own.length === 0) {
      const isServed = (await copy.document(`/apis/${group}`)) !== undefined;
      return isServed ? `the group ${group}, which the cluster serves, is not part of the copy` : undefined;
    }
    const text = `the group ${group}, which an aggregated API serves, is not part of the copy`;
    const problems = own.flatMap(({ status }) => unavailable(status) ?? []);
    return problems.length < own.length ? text : `${text}; the cluster reports it as not available: ${problems[0]}`;
  }

  /** Returns the limits as sentences. */
  async texts(
    copy: LiveCopy,
    { isConfirmed, isSettled }: { isConfirmed: boolean; isSettled: boolean },
  ): Promise<string[]> {
    const limits: string[] = [];
    if (!isConfirmed)
      for (const [webhook, objects] of this.#webhooks)
        limits.push(
          `the live webhook ${webhook} was not called for ${named([...objects])} (--confirm sends the final objects to it)`,
        );
    for (const definition of this.#conversions)
      limits.push(`the conversion webhook for ${definition}, which another program serves, was not called`);
    for (const each of await itemsOf(copy, "/apis", "groups")) {
      const group = isRecord(each) ? String(each.name) : "";
      if ((await copy.versionsOf(group)).length > 0) continue;
      const text = await this.missingText(copy, group);
      if (text !== undefined) limits.push(text);
    }
    for (const resource of copy.denied.keys())
      limits.push(`${resource} were not taken into account, because you may not list them`);
    if (copy.mixed.size > 0) {
      const others = [...copy.mixed].map(([resource, version]) => `${resource} at ${version}`);
      limits.push(
        `the cluster changed while it was being copied at resource version ${copy.revision}: ${named(others)}; plan again for a consistent result`,
      );
    }
    limits.push(
      isSettled
        ? "other operators did not run; new pods ran on a simulated node, without their images"
        : "other operators and the cluster's controllers did not run",
    );
    return limits;
  }
}

const named = (names: readonly string[]): string =>
  `${names.slice(0, maxNamed).join(", ")}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ""}`;

/** An APIService whose versions another server serves. */
interface AggregatedService {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
}

const isAggregated = (item: unknown): item is AggregatedService =>
  isRecord(item) && isRecord(item.spec) && isRecord(item.spec.service);

/** Returns the cluster's message about an aggregated API that is not available, or undefined if it is available. */
function unavailable(status: unknown): string | undefined {
  const conditions: readonly unknown[] = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : [];
  const condition = conditions.filter(isRecord).find(({ type }) => type === "Available");
  if (condition?.status === "True") return undefined;
  return condition ? `${String(condition.reason)}: ${String(condition.message)}` : "it has not been checked yet";
}

/** Returns a list in a document of the live cluster; empty if the cluster does not permit access to it. */
async function itemsOf(copy: LiveCopy, path: string, field: string): Promise<readonly unknown[]> {
  const items = (await copy.document(path))?.[field];
  return Array.isArray(items) ? items : [];
}
