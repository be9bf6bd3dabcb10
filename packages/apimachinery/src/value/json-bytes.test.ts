import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfJsonValue } from "./json-bytes.ts";
import { JsonMembers } from "./json-members.ts";

/** JSON text of a value, with white space and escapes where the grammar allows them. */
const json = fc
  .tuple(
    fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
    fc.infiniteStream(fc.constantFrom("", " ", "\n\t", "\r ")),
  )
  .map(([value, spaces]) => {
    const gap = (): string => spaces.next().value ?? "";
    const write = (part: unknown): string => {
      if (Array.isArray(part)) return `[${gap()}${part.map((one) => write(one) + gap()).join(`,${gap()}`)}]`;
      if (typeof part === "object" && part !== null) {
        const members = Object.entries(part).map(
          ([name, one]) => `${text(name)}${gap()}:${gap()}${write(one)}${gap()}`,
        );
        return `{${gap()}${members.join(`,${gap()}`)}}`;
      }
      return typeof part === "string" ? text(part) : JSON.stringify(part);
    };
    const text = (part: string): string =>
      gap() === "" ? JSON.stringify(part) : `"${[...JSON.stringify(part).slice(1, -1)].map(escaped).join("")}"`;
    return { value, text: write(value) };
  });

const escaped = (character: string): string =>
  character.length === 1 && character >= "é"
    ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
    : character;

const reads = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
};

describe("endOfJsonValue", () => {
  it("finds the end of any value, whatever follows it", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", ",1", "}", "]", ' "x"', "\n{"), ({ text }, rest) => {
        const bytes = Buffer.from(text + rest);
        const end = endOfJsonValue(bytes, 0);
        // Longer numbers are left to parseJson.
        if (/\d[\d.e+-]{14}/i.test(text)) return end === -1 || end === Buffer.byteLength(text);
        return end === Buffer.byteLength(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("does not skip anything that JSON.parse would reject", () => {
    const damage = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 3 }),
      bytes: fc.array(fc.constantFrom(...Buffer.from('{}[]",:\\ \n\u0001utfnl-+.eE019aé')), { maxLength: 3 }),
    });
    let refused = 0;
    fc.assert(
      fc.property(json, damage, ({ text }, { at, length, bytes }) => {
        const whole = Buffer.from(text);
        const start = at % (whole.length + 1);
        const damaged = Buffer.concat([whole.subarray(0, start), Buffer.from(bytes), whole.subarray(start + length)]);
        const end = endOfJsonValue(damaged, 0);
        if (end < 0) refused++;
        return end < 0 || (end <= damaged.length && reads(damaged.subarray(0, end)));
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it.each([
    "",
    " 1",
    '"',
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
    "01",
    "1.",
    ".5",
    "1e",
    "-",
    "+1",
    "nul",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{,}",
    '{"a":1,}',
    '{"a"}',
    "{a:1}",
    '{"a":1]',
    "[1}",
    "\u00a01",
    "[\u00a01]",
  ])("refuses %j", (text) => {
    expect(endOfJsonValue(Buffer.from(text), 0)).toBe(-1);
  });

  it("leaves very deep values and very long numbers to parseJson", () => {
    expect(endOfJsonValue(Buffer.from("[".repeat(202) + "]".repeat(202)), 0)).toBe(-1);
    expect(endOfJsonValue(Buffer.from("[".repeat(201) + "]".repeat(201)), 0)).toBe(402);
    expect(endOfJsonValue(Buffer.from('{"a":[9007199254740993]}'), 0)).toBe(-1);
    expect(endOfJsonValue(Buffer.from('{"a":["9007199254740993"]}'), 0)).toBe(26);
  });
});

describe("JsonMembers", () => {
  it("shows each member of any object with its name and value", () => {
    fc.assert(
      fc.property(
        json.filter(({ value, text }) => typeof value === "object" && value !== null && !/\d[\d.e+-]{14}/i.test(text)),
        ({ value, text }) => {
          const bytes = Buffer.from(`${text} `);
          const members = new JsonMembers(bytes, 0);
          const found: [string, unknown][] = [];
          for (let index = 0; members.next(); index++) {
            members.skip();
            const name = Array.isArray(value)
              ? String(index)
              : (JSON.parse(`"${bytes.toString("utf8", members.nameStart, members.nameEnd)}"`) as string);
            found.push([name, JSON.parse(bytes.toString("utf8", members.valueStart, members.valueEnd))]);
          }
          expect(members.end).toBe(bytes.length - 1);
          expect(found).toEqual(entriesInOrder(text));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each(["1", "{", '{"a":1', '{"a":x}', '{"a":1,}', "[1,]", "[1", '{"a" 1}', '{a":1}'])("rejects %j", (text) => {
    const members = new JsonMembers(Buffer.from(text), 0);
    while (members.next()) members.skip();
    expect(members.end).toBe(-1);
  });
});

/** Members as written; unlike `Object.entries`, which puts names that look like numbers first. */
function entriesInOrder(text: string): [string, unknown][] {
  const parsed = JSON.parse(text) as object;
  if (Array.isArray(parsed)) return Object.entries(parsed);
  const order: string[] = [];
  const members = new JsonMembers(Buffer.from(text), 0);
  while (members.next()) {
    order.push(JSON.parse(`"${Buffer.from(text).toString("utf8", members.nameStart, members.nameEnd)}"`) as string);
    members.skip();
  }
  expect([...order].sort()).toEqual(Object.keys(parsed).sort());
  return order.map((name) => [name, (parsed as Record<string, unknown>)[name]]);
}
