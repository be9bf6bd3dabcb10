import { expect, it } from "vitest";
import { podText } from "../feed/pod-text.ts";
import { cutManagedFields } from "./cut-managed-fields.ts";

it("leaves everything else unchanged", () => {
  const text = podText({ index: 7, version: 1, revision: 3 });
  const pod = JSON.parse(text) as { metadata: { managedFields?: object[] } };
  delete pod.metadata.managedFields;

  expect(JSON.parse(cutManagedFields(Buffer.from(text)))).toEqual(pod);
});
