import { UnsupportedScript } from "./script.ts";

/** Evaluates `[ … ]`. Treats every existing file as readable and as not a directory. */
export function testHolds(words: readonly string[], hasFile: (path: string) => boolean): boolean {
  const [a = "", operator = "", b = ""] = words;
  if (a === "!") return !testHolds(words.slice(1), hasFile);
  if (words.length === 0) return false;
  if (words.length === 1) return a !== "";
  if (words.length === 2) return unary(a, operator, hasFile);
  if (words.length === 3) return binary(a, operator, b);
  throw new UnsupportedScript(`[ ${words.join(" ")} ]`);
}

function unary(operator: string, operand: string, hasFile: (path: string) => boolean): boolean {
  switch (operator) {
    case "-e":
    case "-f":
    case "-r":
    case "-w":
      return hasFile(operand);
    case "-z":
      return operand === "";
    case "-n":
      return operand !== "";
    default:
      throw new UnsupportedScript(`[ ${operator} ${operand} ]`);
  }
}

function binary(a: string, operator: string, b: string): boolean {
  switch (operator) {
    case "=":
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "-eq":
      return Number(a) === Number(b);
    case "-ne":
      return Number(a) !== Number(b);
    case "-lt":
      return Number(a) < Number(b);
    case "-le":
      return Number(a) <= Number(b);
    case "-gt":
      return Number(a) > Number(b);
    case "-ge":
      return Number(a) >= Number(b);
    default:
      throw new UnsupportedScript(`[ ${a} ${operator} ${b} ]`);
  }
}
