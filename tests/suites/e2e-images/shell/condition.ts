import type { ProcessFiles } from "./process-world.ts";
import { UnsupportedScript } from "./script.ts";

type Files = Pick<ProcessFiles, "has" | "isFolder">;

/** Evaluates `[ … ]`. Treats every existing file as readable. */
export function testHolds(words: readonly string[], files: Files): boolean {
  const [a = "", operator = "", b = ""] = words;
  if (a === "!") return !testHolds(words.slice(1), files);
  if (words.length === 0) return false;
  if (words.length === 1) return a !== "";
  if (words.length === 2) return unary(a, operator, files);
  if (words.length === 3) return binary(a, operator, b);
  throw new UnsupportedScript(`[ ${words.join(" ")} ]`);
}

function unary(operator: string, operand: string, files: Files): boolean {
  switch (operator) {
    case "-d":
      return files.isFolder(operand);
    case "-e":
    case "-r":
    case "-w":
      return files.has(operand) || files.isFolder(operand);
    case "-f":
      return files.has(operand);
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
