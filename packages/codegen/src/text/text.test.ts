import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { docComment } from "./comment.ts";
import { literal, memberName } from "./literal.ts";
import { kebab, pascal, UniqueNames } from "./names.ts";
import { documentText, yamlText } from "./yaml.ts";

describe("names", () => {
  it("convert to type names and file names", () => {
    expect(["secret-template", "secretTemplate", "x.y/z", "9p"].map(pascal)).toEqual([
      "SecretTemplate",
      "SecretTemplate",
      "XYZ",
      "_9p",
    ]);
    expect(["CertificateRequest", "HTTPRoute", "IpsecSite"].map(kebab)).toEqual([
      "certificate-request",
      "http-route",
      "ipsec-site",
    ]);
  });

  it("are unique, and never shadow names that the text uses", () => {
    const names = new UniqueNames();
    expect(["Foo", "Foo", "Foo", "Kind", "Kind"].map((name) => names.take(name))).toEqual([
      "Foo",
      "Foo2",
      "Foo3",
      "KindResource",
      "KindResource2",
    ]);
  });

  it("stay fast to create if many are equal", () => {
    const names = new UniqueNames();
    const startedAt = performance.now();
    for (let i = 0; i < 30_000; i++) names.take("Foo");
    expect(names.take("Foo")).toBe("Foo30001");
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe("YAML", () => {
  it("contains no line end but the newline, which keeps foreign text one value for every parser", () => {
    const text = "a\nb\u2028kind: Secret\u2029---\u0085c\ufeff";
    const value = { text, [text]: [text], plain: "ü", yes: "on" };
    const written = yamlText([value]);
    expect(written).not.toMatch(/[\u0085\u2028\u2029\ufeff]/);
    expect(written).toContain('text: "a\\nb\\u2028kind: Secret\\u2029---\\u0085c\\ufeff"\n');
    expect(parse(written)).toEqual(value);
  });
});

describe("one document", () => {
  it("repeats equal objects, in the object's order by default", () => {
    const shared = { b: 1, a: [2] };
    expect(documentText({ d: shared, c: shared })).toBe("d:\n  b: 1\n  a:\n    - 2\nc:\n  b: 1\n  a:\n    - 2\n");
    expect(documentText({ d: 1, c: 2 }, true)).toBe("c: 2\nd: 1\n");
  });
});

describe("literals", () => {
  it("evaluate to the JSON value", () => {
    const value = JSON.parse('{"a-b":1,"__proto__":{"x":[true,null,"\\"`$ {"]},"big":9223372036854775807}');
    expect(new Function(`return ${literal(value)}`)()).toEqual(value);
    expect(Object.keys(new Function(`return ${literal(value)}`)())).toContain("__proto__");
    expect(memberName("x-y")).toBe('"x-y"');
  });
});

describe("comments", () => {
  it("cannot be ended by their text", () => {
    expect(docComment("cron: */5 * * * *")).toBe("/** cron: *\\/5 * * * * */\n");
    expect(docComment("a\n\nb */", "  ")).toBe("  /**\n   * a\n   *\n   * b *\\/\n   */\n");
    expect(docComment("ends */")).toBe("/**\n * ends *\\/\n */\n");
    expect(docComment("\n \n  a\n\n b \n\n\n")).toBe("/**\n *   a\n *\n *  b\n */\n");
    expect(docComment(" a\n\n")).toBe("/** a */\n");
    expect(docComment("a\r\nb\u2028c\u2029d\re")).toBe("/**\n * a\n * b\n * c\n * d\n * e\n */\n");
    expect([docComment("\n\n"), docComment(" ")]).toEqual(["", ""]);
    expect([docComment(""), docComment(undefined)]).toEqual(["", ""]);
  });
});
