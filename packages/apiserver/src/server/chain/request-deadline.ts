import { badRequest } from "@kubewright/apimachinery";
import { parseGoDuration } from "@kubewright/cel";

/**
 * How long a request may take: what its `timeout` asks for, but no longer than `mostMs`.
 *
 * @throws {StatusError} 400 for a `timeout` that is no duration
 * @see apiserver pkg/endpoints/filters/request_deadline.go
 */
export function requestDeadlineMs(query: URLSearchParams, mostMs: number): number {
  const text = query.get("timeout");
  if (!text) return mostMs;
  const ns = parseGoDuration(text);
  if (ns === undefined) {
    const problem = /^[-+]?\d+(\.\d*)?$/.test(text) ? "missing unit in duration" : "invalid duration";
    throw badRequest(`invalid timeout specified in the request URL - time: ${problem} ${JSON.stringify(text)}`);
  }
  const ms = Number(ns) / 1e6;
  return ms > 0 ? Math.min(ms, mostMs) : mostMs;
}
