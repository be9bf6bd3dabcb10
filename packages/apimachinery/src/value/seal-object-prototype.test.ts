import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const module = fileURLToPath(new URL("./seal-object-prototype.ts", import.meta.url));
/** Returns the parsed output of a program that seals the prototype of all objects in its process. */
const printed = (program: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [
      "--input-type=module",
      "--eval",
      `import { sealObjectPrototype } from ${JSON.stringify(module)}; sealObjectPrototype(); const object = {}; ${program}`,
    ]).toString(),
  );

it("makes __proto__ an ordinary member", () => {
  const program = `object["__proto__"] = { a: 1 }; console.log(JSON.stringify([object, object.a ?? null, {}.__proto__ ?? null]));`;
  expect(printed(program)).toEqual([JSON.parse('{"__proto__":{"a":1}}'), null, null]);
});

it("prevents additions to and removals from the prototype", () => {
  const program = `console.log(JSON.stringify([
    Reflect.set(Object.prototype, "a", 1), Reflect.deleteProperty(Object.prototype, "toString"), {}.a ?? null]));`;
  expect(printed(program)).toEqual([false, false, null]);
});

it("allows assignments to toString, as libraries make them", () => {
  expect(printed(`object.toString = () => "own"; console.log(JSON.stringify(String(object)));`)).toBe("own");
});
