import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";

/** Returns the attributes of a request by the user `jane` to create the pod `default/web`. */
export const attributesOf = (more: Partial<AdmissionAttributes> = {}): AdmissionAttributes => ({
  operation: "CREATE",
  resource: resourceOf("pods"),
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

export const resourceOf = (resource: string, group = "") => ({ group, version: "v1", resource });

/** Returns an object of any kind. */
export const objectOf = (more: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "web", ...metadata },
  ...more,
});

/** Returns a request's object after a plugin has admitted it. */
export async function admitted(plugin: AdmissionPlugin, more: Partial<AdmissionAttributes>) {
  const attributes = attributesOf(more);
  await plugin.admit?.(attributes, undefined as never);
  return attributes.object;
}

/** Returns the message with which a plugin rejects a request, or `undefined` if it admits the request. */
export async function refusal(
  plugin: AdmissionPlugin,
  more: Partial<AdmissionAttributes>,
): Promise<string | undefined> {
  const attributes = attributesOf(more);
  try {
    await plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
