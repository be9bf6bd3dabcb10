import { expect, it } from "vitest";
import { admissionPlugins } from "./described/admission-plugins.ts";
import { gateLines } from "./described/feature-gates.ts";
import { flagTables } from "./described/flag-tables.ts";
import { groupVersions } from "./described/group-versions.ts";
import type { DescribedFlag } from "./described/server-description.ts";
import { tableModule } from "./generated-file.ts";

const flag = (name: string, type: string, more: Partial<DescribedFlag> = {}): DescribedFlag => ({
  section: "generic",
  name,
  type,
  default: "",
  ...more,
});

it("writes template strings that evaluate to the given lines", () => {
  const lines = ["a `b` $".concat("{c} \\d")];
  const { text } = tableModule("x.ts", "here", [{ name: "table", comment: "A table.", lines }]);
  const [, literal = ""] = /export const table = (`[\s\S]*`);/.exec(text) ?? [];
  expect(new Function(`return ${literal}`)()).toBe(`\n${lines[0]}\n`);
});

it("sorts flags with an effect like the help, and lists the names of the others", () => {
  const flags = [
    flag("help", "bool", { section: "global", default: "false" }),
    flag("max", "int", { default: "400" }),
    flag("names", "strings", { default: "[a,b]" }),
    flag("rate", "float32", { section: "auditing", default: "0" }),
    flag("max", "int", { section: "global", default: "400" }),
    flag("feature-gates", "colonSeparatedMultimapStringString", { section: "auditing" }),
    flag("profiling", "bool", { default: "true" }),
  ];
  const { text } = flagTables(flags, new Set(["help", "max", "names", "feature-gates"]));
  const [, effective, ignored, switches] = text.split("= `").map((part) => part.split("`")[0]?.trim());
  expect(effective?.split("\n")).toEqual([
    ...["Generic:", "  max int 400", "  names strings a,b"],
    ...["Auditing:", "  feature-gates featureGates"],
    ...["Global:", "  help bool"],
  ]);
  expect([ignored, switches]).toEqual(["rate", "profiling"]);
});

it("describes stage and default of a feature gate, and whether it is locked", () => {
  const gate = (name: string, stage: string, isOn: boolean, isLocked = false) => ({ name, stage, isOn, isLocked });
  expect(gateLines([gate("B", "GA", true, true), gate("A", "ALPHA", false)])).toEqual([
    "A ALPHA off",
    "B GA on locked",
  ]);
});

it("lists admission plugins in their order, with their default", () => {
  const { text } = admissionPlugins([
    { name: "Second", isOn: true },
    { name: "First", isOn: false },
  ]);
  expect(text).toContain("`\nSecond on\nFirst off\n`");
});

it("separates groups without client types from the others", () => {
  const { text } = groupVersions({
    flags: [],
    featureGates: [],
    admissionPlugins: [],
    versions: { "": ["v1", "v1"], "x.io": ["v1beta1", "v1"] },
    clientGroups: [""],
  });
  expect(text).toContain("\n- v1\nx.io v1 v1beta1\n");
  expect(text).toContain("groupsOfServersAlone = `\nx.io\n`");
});
