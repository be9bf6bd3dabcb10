import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const module = fileURLToPath(new URL("./seal-object-prototype.ts", import.meta.url));
/** What a program prints that seals what all objects of this process would inherit. */
const printed = (program: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [
      "--input-type=module",
      "--eval",
      `import { sealObjectPrototype } from ${JSON.stringify(module)}; sealObjectPrototype(); const object = {}; ${program}`,
    ]).toString(),
  );

it("makes __proto__ a member like any other", () => {
  const program = `object["__proto__"] = { a: 1 }; console.log(JSON.stringify([object, object.a ?? null, {}.__proto__ ?? null]));`;
  expect(printed(program)).toEqual([JSON.parse('{"__proto__":{"a":1}}'), null, null]);
});

it("lets nobody add to what every object inherits, or take from it", () => {
  const program = `console.log(JSON.stringify([
    Reflect.set(Object.prototype, "a", 1), Reflect.deleteProperty(Object.prototype, "toString"), {}.a ?? null]));`;
  expect(printed(program)).toEqual([false, false, null]);
});

it("lets objects have an own toString by assignment, which libraries do", () => {
  expect(printed(`object.toString = () => "own"; console.log(JSON.stringify(String(object)));`)).toBe("own");
});
