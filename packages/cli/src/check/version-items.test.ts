import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { minorOf, versionItems } from "./version-items.ts";

it("reports fields of generated objects that the oldest cluster rejects or ignores", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  const file = join(project.root, "src/api/site.ts");
  const text = readFileSync(file, "utf8");
  const changed = text.replace(
    /(\n\s*)spec: /,
    '$1selectableFields: [".spec.message"],$1rules: { spec: [{ rule: "isIP(self.message)", message: "is not an address" }] },$1spec: ',
  );
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
  expect(await project.run("generate")).toMatchObject({ code: 0, err: "" });
  expect(await project.run("check")).toEqual({ code: 0, out: "", err: "" });
  const check = (version: string, ...more: string[]) => project.run("check", "--kubernetes", version, ...more);
  expect(await check("1.31")).toEqual({ code: 0, out: "", err: "" });
  expect(await check("1.30.14")).toEqual({
    code: 1,
    out: "",
    err:
      'sites.shop.example.com: v1 selectableFields: ".spec.message" is ignored before Kubernetes 1.31: select objects by a label, or by an index of the cache\n' +
      'sites.shop.example.com: v1 spec: "isIP(self.message)" is rejected before Kubernetes 1.31: isIP() with these arguments is missing; use other functions, or validate in a webhook\n',
  });
  expect(JSON.parse((await check("1.30", "--json")).out)).toMatchObject({
    items: [
      { check: "definition", name: "sites.shop.example.com", path: "v1 selectableFields" },
      { check: "definition", path: "v1 spec" },
    ],
  });
  expect(await check("1.29")).toMatchObject({
    code: 2,
    err: expect.stringContaining('--kubernetes "1.29" is not a version from 1.30 to 1.'),
  });
}, 300_000);

it("reports match conditions of webhooks", () => {
  const conditions = ["isIP(object.spec.ip)", "object.spec.ip != '' && request.operation == 'CREATE'", "nowhere()"];
  const webhook = {
    name: "a.example.com",
    matchConditions: conditions.map((expression, i) => ({ name: `c${i}`, expression })),
  };
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "shop" },
    webhooks: [webhook, { name: "without" }],
  };
  expect(versionItems([configuration], 30)).toEqual([
    {
      check: "webhook",
      name: "shop",
      path: "a.example.com matchConditions",
      message:
        '"isIP(object.spec.ip)" is rejected before Kubernetes 1.31: use other functions, or check the condition in the webhook',
    },
  ]);
  expect(versionItems([configuration], 31)).toEqual([]);
});

it("reads versions", () => {
  expect(["1.30", "v1.30", "1.31.4"].map(minorOf)).toEqual([30, 30, 31]);
  for (const wrong of ["", "1", "1.29", "1.999", "2.30", "1.30.x"])
    expect(() => minorOf(wrong)).toThrow("is not a version from 1.30 to 1.");
});
