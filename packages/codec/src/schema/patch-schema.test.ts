import { strategicMergePatch } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { builtinSchema } from "./builtin-schemas.ts";
import { patchSchemaOf } from "./patch-schema.ts";

it("merges containers by name and puts new ones before those the patch does not name", () => {
  const schema = builtinSchema({ group: "apps", version: "v1", kind: "Deployment" });
  if (!schema) throw new Error("no Deployment");
  const live = { spec: { template: { spec: { containers: [{ name: "a", image: "x" }] } } } };
  const patch = { spec: { template: { spec: { containers: [{ name: "side", image: "y" }] } } } };
  expect(strategicMergePatch(live, patch, patchSchemaOf(schema))).toEqual({
    spec: {
      template: {
        spec: {
          containers: [
            { name: "side", image: "y" },
            { name: "a", image: "x" },
          ],
        },
      },
    },
  });
});
