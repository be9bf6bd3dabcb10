import { expect, it } from "vitest";
import { readCsv } from "./csv.ts";

it("parses records as Go does: quoted fields may contain commas, quotes and line ends, and empty lines are skipped", () => {
  const text = 'a,b,"c,d"\r\n\n"say ""hi""","two\nlines",\n';
  expect([...readCsv(text)]).toEqual([
    ["a", "b", "c,d"],
    ['say "hi"', "two\nlines", ""],
  ]);
  expect([...readCsv('a\rb,"c\r\nd"\r')]).toEqual([["a\rb", "c\nd"]]);
  expect([...readCsv("\n\r\n")]).toEqual([]);
  expect([...readCsv(",")]).toEqual([["", ""]]);
});

it.each([
  ['a,b"c\n', 'parse error on line 1, column 4: bare " in non-quoted-field'],
  ['a,"b"c\n', 'parse error on line 1, column 5: extraneous or missing " in quoted-field'],
  ['a,"b,c\n', 'parse error on line 1, column 8: extraneous or missing " in quoted-field'],
  ['a,"b,c', 'parse error on line 1, column 7: extraneous or missing " in quoted-field'],
  ['é,"b"c', 'parse error on line 1, column 6: extraneous or missing " in quoted-field'],
  ['"é\né",b"', 'record on line 1; parse error on line 2, column 6: bare " in non-quoted-field'],
  ['a\n"b\nc\n', 'record on line 2; parse error on line 3, column 3: extraneous or missing " in quoted-field'],
])("reports the position of the error in %j", (text, message) => {
  expect(() => [...readCsv(text)]).toThrow(message);
});
