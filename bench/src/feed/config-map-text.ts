import process from "node:process";
import { type FeedObject, hex, sentAnnotation, timeOf } from "./feed-object.ts";

/** Returns the text of a small ConfigMap, formatted like an API server does. */
export function configMapText({ index, version, revision }: FeedObject): string {
  return JSON.stringify({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: `settings-${index}`,
      namespace: `team-${index % 50}`,
      uid: `${hex(index * 7, 8)}-5f0e-4c1d-9b3a-${hex(index * 13, 12)}`,
      resourceVersion: String(version),
      creationTimestamp: timeOf(0),
      labels: { app: "bench" },
      annotations: { [sentAnnotation]: String(process.hrtime.bigint()) },
      managedFields: [
        {
          manager: "bench",
          operation: "Update",
          apiVersion: "v1",
          time: timeOf(0),
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { ".": {}, "f:revision": {}, "f:index": {} } },
        },
      ],
    },
    data: { revision: String(revision), index: String(index) },
  });
}
