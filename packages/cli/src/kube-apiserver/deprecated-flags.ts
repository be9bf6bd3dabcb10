/** What kube-apiserver says when one of its deprecated flags is used. */
export const deprecatedFlags: ReadonlyMap<string, string> = new Map([
  [
    "admission-control",
    "Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.",
  ],
  ["apiserver-count", "apiserver-count is deprecated and will be removed in a future version."],
  ["audit-webhook-batch-initial-backoff", "Deprecated, use --audit-webhook-initial-backoff instead."],
  [
    "default-watch-cache-size",
    "watch caches are sized automatically and this flag will be removed in a future version",
  ],
  ["enable-logs-handler", "Log handler functionality is deprecated"],
  ["kubelet-port", "kubelet-port is deprecated and will be removed."],
  ["kubelet-read-only-port", "kubelet-read-only-port is deprecated and will be removed."],
]);
