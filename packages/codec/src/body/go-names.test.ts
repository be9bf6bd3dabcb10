import { expect, it } from "vitest";
import { scalar } from "../schema/type-schema.ts";
import { namedStringOf } from "./go-named-types.ts";
import { conversionProblem, goTypeName } from "./go-names.ts";

it("knows strings that have a name of their own", () => {
  expect(namedStringOf({ struct: "PodSpec", apiVersion: "v1", name: "restartPolicy" })).toBe("v1.RestartPolicy");
  expect(namedStringOf({ struct: "ObjectMeta", apiVersion: "meta/v1", name: "name" })).toBeUndefined();
  expect(goTypeName({ type: "list", items: scalar("string"), topology: "atomic", keys: [] }, "v1.FinalizerName")).toBe(
    "[]v1.FinalizerName",
  );
});

it("says why a value in a map does not fit", () => {
  expect(conversionProblem(1, scalar("string"), "v1.RestartPolicy")).toBe("cannot convert int64 to v1.RestartPolicy");
  expect(conversionProblem({}, scalar("string"), undefined)).toBe("unrecognized type: string");
  expect(conversionProblem(1.5, scalar("int32"), undefined)).toBe("cannot convert float64 to int32");
  expect(conversionProblem("a", { type: "map", values: scalar("string") }, undefined)).toBe(
    "cannot restore map from string",
  );
});
