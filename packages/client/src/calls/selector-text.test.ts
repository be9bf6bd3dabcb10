import { LabelSelector, labelSelectorFrom, parseFieldSelector } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { fieldSelectorText, labelSelectorText } from "./selector-text.ts";

it("writes label selectors of every form", () => {
  expect(labelSelectorText(undefined)).toBeUndefined();
  expect(labelSelectorText({})).toBeUndefined();
  expect(labelSelectorText({ app: "shop", tier: "web" })).toBe("app=shop,tier=web");
  expect(labelSelectorText("app in (a,b)")).toBe("app in (a,b)");
  expect(labelSelectorText(labelSelectorFrom({ matchExpressions: [{ key: "a", operator: "Exists" }] }))).toBe("a");
  expect(labelSelectorText(LabelSelector.everything)).toBeUndefined();
});

it("keeps a selector of nothing from selecting everything", () => {
  expect(labelSelectorText(LabelSelector.nothing)).toBe("nothing,!nothing");
});

it("writes field selectors, with escaped values", () => {
  expect(fieldSelectorText(undefined)).toBeUndefined();
  expect(fieldSelectorText({ "metadata.name": "a", "spec.x": "b,c=d\\e" })).toBe(
    "metadata.name=a,spec.x=b\\,c\\=d\\\\e",
  );
  expect(fieldSelectorText(parseFieldSelector("a!=b"))).toBe("a!=b");
});
