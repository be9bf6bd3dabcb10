import { group, version } from "../group.ts";

/** Settings for `defineKind` shared by all composite kinds. A composite expands into other resources. */
export const compositeKind = {
  group,
  version,
  scope: "Namespaced",
  specRequired: false, // as in the reference CRDs
} as const;

export const purposeColumn = { name: "Purpose", type: "string", jsonPath: ".metadata.labels.sdewanPurpose" } as const;
export const messageColumn = { name: "Message", type: "string", jsonPath: ".status.message" } as const;
export const ageColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;
