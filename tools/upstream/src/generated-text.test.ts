import { expect, it } from "vitest";
import { admissionPlugins } from "./described/admission-plugins.ts";
import { gateLines } from "./described/feature-gates.ts";
import { flagLines, flagTables } from "./described/flag-tables.ts";
import { groupVersions } from "./described/group-versions.ts";
import type { DescribedFlag } from "./described/server-description.ts";
import { tableModule } from "./generated-file.ts";

const flag = (name: string, type: string, more: Partial<DescribedFlag> = {}): DescribedFlag => ({
  section: "generic",
  name,
  type,
  default: "",
  isHidden: false,
  deprecated: "",
  ...more,
});

it("writes template strings that evaluate to the given lines", () => {
  const lines = ["a `b` $".concat("{c} \\d")];
  const { text } = tableModule("x.ts", "here", [{ name: "table", comment: "A table.", lines }]);
  const [, literal = ""] = /export const table = (`[\s\S]*`);/.exec(text) ?? [];
  expect(new Function(`return ${literal}`)()).toBe(`\n${lines[0]}\n`);
});

it("sorts flags like the help, followed by hidden and global ones", () => {
  const flags = [
    flag("help", "bool", { section: "global", default: "false" }),
    flag("port", "uint", { default: "10250", isHidden: true, deprecated: "Gone soon." }),
    flag("max", "int", { default: "400" }),
    flag("names", "strings", { default: "[a,b]" }),
    flag("rate", "float32", { section: "auditing", default: "0" }),
    flag("max", "int", { section: "global", default: "400" }),
    flag("feature-gates", "colonSeparatedMultimapStringString", { section: "auditing" }),
  ];
  expect(flagLines(flags)).toEqual([
    ...["Generic:", "  max int 400", "  names strings a,b"],
    ...["Auditing:", "  rate float", "  feature-gates featureGates"],
    ...["Hidden:", "  port uint 10250", "Global:", "  help bool"],
  ]);
  expect(flagTables(flags).text).toContain("\nport Gone soon.\n");
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
