import type { AdmissionAttributes } from "../admission.ts";

/** Returns the attributes of a request by the user `jane` to create the pod `default/web`. */
export const attributesOf = (more: Partial<AdmissionAttributes> = {}): AdmissionAttributes => ({
  operation: "CREATE",
  resource: { group: "", version: "v1", resource: "pods" },
  subresource: "",
  kind: { group: "", version: "v1", kind: "Pod" },
  namespace: "default",
  name: "web",
  object: undefined,
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "jane", groups: [] },
  warn() {},
  ...more,
});

/** Creates an object with the given labels. */
export const labelled = (labels?: Record<string, string>, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "x", ...(labels ? { labels } : {}), ...more },
});
