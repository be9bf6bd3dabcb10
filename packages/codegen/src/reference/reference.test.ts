import type { StructuralSchema } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { sample } from "../testing/sample-definition.ts";
import { referenceText } from "./reference-text.ts";

const [version] = sample.spec.versions;
const ofSpec = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}) => {
  const spec: StructuralSchema = { type: "object", properties, ...more };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec }, required: ["spec"] } };
  return { ...sample, spec: { ...sample.spec, versions: [{ ...version, schema }] } };
};

describe("the reference", () => {
  it("lists every field with type, default and description", () => {
    expect(referenceText(sample)).toMatchSnapshot();
  });

  it("has a unique anchor for each field", () => {
    const a: StructuralSchema = { type: "object", properties: { x: { type: "string" } } };
    const text = referenceText(
      ofSpec({
        "a.b": a,
        a: { type: "object", properties: { x: { type: "string" }, b: a } },
        "a[]": a,
        "a-b": a,
        list: { type: "array", items: a },
        map: { type: "object", additionalProperties: a },
      }),
    );
    const anchors = [...text.matchAll(/<a id="([^"]*)">/g)].map(([, id]) => id);
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(anchors).toContain("shop-v1-spec.a.x");
    expect(anchors).toContain("shop-v1-spec.list--.x");
  });

  it("escapes foreign text", () => {
    const text = referenceText(
      ofSpec(
        { a: { type: "string", description: "a | b\n\n<script>{{ x }}", default: "`|`" } },
        { description: "x\ny" },
      ),
    );
    const line = text.split("\n").find((one) => one.includes("spec.a"));
    expect(line).toContain("a \\| b<br><br>&lt;script>&#123;&#123; x }}");
    expect(line).toContain('``"`\\|`"``');
    expect(line?.replaceAll("\\|", "").split("|")).toHaveLength(7);
  });

  it("contains no expressions, attributes, images or open code, however they are spelled", () => {
    const cellOf = (description: string, pattern?: string): string => {
      const text = referenceText(ofSpec({ a: { type: "string", description, ...(pattern ? { pattern } : {}) } }));
      const line = text.split("\n").find((one) => one.includes("`spec.a`")) ?? "";
      return line.split(" | ")[4]?.slice(0, -2) ?? "";
    };
    expect(cellOf("**x**{onclick=evil()}")).toBe("**x**&#123;onclick=evil()}");
    expect(cellOf("{\\{ evil() }}")).toBe("&#123;&#92;&#123; evil() }}");
    expect(cellOf("see `{{ evil() }}`")).toBe("see <code>&#123;&#123; evil&#40;&#41; &#125;&#125;</code>");
    expect(cellOf("![](https://evil.example/seen.png)")).toBe("&#33;[](https://evil.example/seen.png)");
    expect(cellOf("one `", "<img onerror=evil()>")).toBe("one &#96;<br><br>`pattern: <img onerror=evil()>`");
    expect(cellOf("`a", "{{ evil() }}")).toMatch(/^&#96;a<br><br><code>pattern&#58; &#123;&#123; evil/);
    expect(cellOf("one \\`<b onclick=evil()>`")).toBe("one &#92;`<b onclick=evil()>`");
    expect(cellOf("`a < b` and ``c ` d`` and `e")).toBe("`a < b` and ``c ` d`` and &#96;e");
    expect(cellOf("`a` `b<` c `")).toBe("`a` `b<` c &#96;");
    expect(cellOf("`a\n\nb`")).toBe("&#96;a<br><br>b&#96;");
  });

  it("refuses names that servers refuse", () => {
    const { names } = sample.spec;
    const withSpec = (spec: object) => () => referenceText({ ...sample, spec: { ...sample.spec, ...spec } });
    expect(withSpec({ names: { ...names, kind: "A\n<b>" } })).toThrow('spec.names.kind: "A\\n<b>": a DNS-1035 label');
    expect(withSpec({ names: { ...names, plural: "`<b>`" } })).toThrow('spec.names.plural: "`<b>`": ');
    expect(withSpec({ group: "<b>" })).toThrow('spec.group: "<b>": ');
    expect(withSpec({ versions: [{ ...version, name: '"><b>' }] })).toThrow("spec.versions[0].name: ");
  });

  it("takes linear time", () => {
    const spaces = " ".repeat(200_000);
    const ticks = Array.from({ length: 1_000 }, (_, i) => "`".repeat(i + 1)).join(" ");
    const startedAt = performance.now();
    referenceText(ofSpec({ a: { type: "string", pattern: `${spaces}x`, description: ticks + "\\".repeat(200_000) } }));
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
