import { describe, expect, it } from "vitest";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  validateQualifiedName,
} from "./names.ts";

const long = (length: number): string => "a".repeat(length);

describe("names of objects", () => {
  it("may be subdomains", () => {
    expect(isDns1123Subdomain("a.b-c.1")).toEqual([]);
    expect(isDns1123Subdomain("A_b")).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(isDns1123Subdomain(long(254))).toEqual(["must be no more than 253 characters"]);
  });

  it("may be single labels, and say so about dots", () => {
    expect(isDns1123Label("1-a")).toEqual([]);
    expect(isDns1123Label("a.b")).toEqual(["must not contain dots"]);
    expect(isDns1123Label("-")).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(isDns1123Label(long(64))).toEqual(["must be no more than 63 characters"]);
  });

  it("may have to start with a letter", () => {
    expect(isDns1035Label("a1")).toEqual([]);
    expect(isDns1035Label("1a")).toEqual([
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  it("must fit into a URL", () => {
    expect(isPathSegmentName("system:node")).toEqual([]);
    expect(isPathSegmentName("a/b%")).toEqual(["may not contain '/'", "may not contain '%'"]);
    expect(isPathSegmentName("..")).toEqual(["may not be '..'"]);
  });
});

describe("labels", () => {
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

  it("have qualified keys", () => {
    expect(validateQualifiedName("example.com/My_name.1")).toEqual([]);
    expect(validateQualifiedName("x/")).toEqual(["name part must be non-empty", `name part ${rule}`]);
    expect(validateQualifiedName("/y")).toEqual(["prefix part must be non-empty"]);
    expect(validateQualifiedName("A_b!")).toEqual([`name part ${rule}`]);
    expect(validateQualifiedName(long(64))).toEqual(["name part must be no more than 63 bytes"]);
    expect(validateQualifiedName("a/b/c")).toEqual([
      `a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]);
    expect(validateQualifiedName("A_b/c")[0]).toMatch(/^prefix part a lowercase RFC 1123 subdomain must consist/);
  });

  it("have values that may be empty", () => {
    expect(isLabelValue("")).toEqual([]);
    expect(isLabelValue("b c")).toHaveLength(1);
    expect(isLabelValue(long(64))).toEqual(["must be no more than 63 bytes"]);
  });
});
