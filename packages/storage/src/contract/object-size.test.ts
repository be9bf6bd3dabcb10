import { expect, it } from "vitest";
import { refuseTooLarge } from "./object-size.ts";

const objectOf = (data: unknown) => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, data });
const limit = 1.5 * 1024 * 1024;
const rest = JSON.stringify(objectOf("")).length;

it.each([
  ["plain text", "x".repeat(limit - rest), "x"],
  ["text that needs escapes", "\n".repeat((limit - rest) / 2), "\n"],
  ["text of several bytes", "\u20ac".repeat(Math.floor((limit - rest) / 3)), "\u20ac"],
])("accepts %s of a megabyte and a half, and no more", (_, most, more) => {
  expect(() => refuseTooLarge("/things/a", objectOf(most))).not.toThrow();
  expect(() => refuseTooLarge("/things/a", objectOf(`${most}${more}`))).toThrow("etcdserver: request is too large");
});

it("counts lists, objects and their names", () => {
  const half = "x".repeat(limit / 2);
  expect(() => refuseTooLarge("/things/a", objectOf([half, half]))).toThrow();
  expect(() => refuseTooLarge("/things/a", objectOf({ [half]: { a: [half] } }))).toThrow();
  expect(() => refuseTooLarge("/things/a", objectOf(Array.from({ length: limit / 2 }, () => 1)))).toThrow();
});
