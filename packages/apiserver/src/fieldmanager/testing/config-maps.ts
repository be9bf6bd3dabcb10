import { isStatusError, type StatusCause, type Unstructured } from "@kubewright/apimachinery";
import { builtinSchema } from "@kubewright/codec/schema";
import type { FieldManager, FieldManagerOptions } from "../field-manager.ts";
import { createFieldManager } from "../typed-field-manager.ts";

function managerOf(group: string, version: string, kind: string): FieldManager {
  const gvk = { group, version, kind };
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(kind);
  return createFieldManager({ gvk, schema });
}
export const configMaps = managerOf("", "v1", "ConfigMap");
export const deployments = managerOf("apps", "v1", "Deployment");

export const by = (manager: string, rest: Partial<FieldManagerOptions> = {}): FieldManagerOptions => ({
  manager,
  subresource: "",
  time: "2030-01-01T00:00:00Z",
  resetFields: [["status"]],
  ...rest,
});
export const applying = (manager: string, force = false) => ({ ...by(manager), force });

export const configMap = (data: Record<string, unknown> | undefined, metadata: object = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...metadata },
  ...(data ? { data } : {}),
});

/** Returns an object as a store would return it, so that it is treated as existing. */
export const stored = (object: Unstructured): Unstructured => ({
  ...object,
  metadata: { ...object.metadata, uid: "u" },
});

export const owners = (object: Unstructured): Record<string, unknown> =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
  );

export function refusal(run: () => unknown): { message: string; code: number; causes: StatusCause[] } {
  try {
    run();
  } catch (error) {
    if (isStatusError(error))
      return { message: error.message, code: error.code, causes: error.status.details?.causes ?? [] };
    throw error;
  }
  throw new Error("nothing was thrown");
}

export const created = (): Unstructured =>
  stored(
    configMaps.update(
      undefined,
      configMap({ a: "1", b: "2" }, { labels: { x: "y" }, annotations: { q: "r" } }),
      by("a"),
    ),
  );
