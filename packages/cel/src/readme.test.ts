import { expect, it } from "vitest";
import { CelCompileError, CelEnvironment } from "./environment.ts";
import { fromJson } from "./evaluation/json-value.ts";
import { celType } from "./values/type.ts";

it("runs the README's example", () => {
  const variables = { self: celType.map(celType.string, celType.dyn) };
  const environment = CelEnvironment.base.extend({ variables });
  const rule = environment.compile("self.replicas <= 3 && self.image.startsWith('registry.example.com/')");

  const self = fromJson({ replicas: 2, image: "registry.example.com/shop" });
  expect(rule.evaluate({ self }).value).toBe(true);
  expect(() => environment.compile("1 <= 'three'")).toThrow(CelCompileError);
});
