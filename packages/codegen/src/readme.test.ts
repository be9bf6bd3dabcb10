import { defineKind } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { breakingChanges, crdText, kindFiles } from "./index.ts";
import { runGenerated } from "./testing/run-generated.ts";

it("runs the README's example", () => {
  const type = { group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" } as const;
  const Site = defineKind({
    ...type,
    spec: Type.Object({ image: Type.String(), size: Type.Optional(Type.Integer()) }),
  });
  const smaller = defineKind({ ...type, spec: Type.Object({ image: Type.String() }) });

  expect(crdText(Site.crd)).toContain("name: sites.shop.example.com");
  const [file] = kindFiles(Site.crd);
  expect(file?.path).toBe("site.ts");
  expect(file?.text).toContain("export interface SiteSpec {\n  image: string;\n  size?: number;\n}");
  const [typebox] = kindFiles(Site.crd, { style: "typebox" });
  expect(runGenerated(typebox?.text ?? "").Site).toMatchObject({ crd: Site.crd });
  expect(breakingChanges(Site.crd, smaller.crd)).toMatchObject([{ path: "v1 spec.size" }]);
});
