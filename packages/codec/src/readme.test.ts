import { JsonPatchError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { applyRawJsonPatch } from "./patch/json-patch.ts";
import { readYaml } from "./yaml/yaml-reader.ts";

it("runs the README's example", () => {
  const { value } = readYaml("kind: ConfigMap\ndata:\n  answer: yes\n  port: 0o17\n");
  expect(value).toEqual({ kind: "ConfigMap", data: { answer: true, port: 15 } });

  applyRawJsonPatch(value, [{ op: "replace", path: "/data/answer", value: "yes" }]);
  expect(value).toMatchObject({ data: { answer: "yes" } });
  expect(() => applyRawJsonPatch(value, [{ op: "remove", path: "/data/lost" }])).toThrow(JsonPatchError);
});
