import { badRequest, readGoDuration } from "@kubewright/apimachinery";

/**
 * Returns the timeout of a request in milliseconds: the value of its `timeout` parameter, but at most `maxMs`.
 *
 * @throws {StatusError} 400 if `timeout` is not valid
 *
 * @see apiserver pkg/endpoints/filters/request_deadline.go
 */
export function requestDeadlineMs(query: URLSearchParams, maxMs: number): number {
  const text = query.get("timeout");
  if (!text) return maxMs;
  const read = readGoDuration(text);
  if ("problem" in read) throw badRequest(`invalid timeout specified in the request URL - ${read.problem}`);
  const ms = Number(read.ns) / 1e6;
  return ms > 0 ? Math.min(ms, maxMs) : maxMs;
}
