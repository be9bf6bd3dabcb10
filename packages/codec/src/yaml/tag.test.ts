import { expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml-reader.ts";

it.each<readonly [text: string, value: unknown]>([
  ["%TAG ! tag:yaml.org,2002:\n--- !str 1\n", "1"],
  ["%TAG !! x:\n--- !!str 1\n", "1"],
  ["a: !<tag:yaml.org,2002:str> 1", { a: "1" }],
  ["a: !x", { a: "" }],
  ["a: !!%73tr 1", { a: "1" }],
  ["a: !%C3%A9 1", { a: "1" }],
  ["a: !!str,b", { a: "" }],
  ["[!!str, 1]", ["1"]],
  ["%YAML 1.1 # c\n--- a", "a"],
  ["%YAML 01.01\n--- a", "a"],
  ["a: !!str\n", { a: "" }],
  ["! a", "a"],
  ["!\n", ""],
  ["!!map {a: 1}", { a: 1 }],
  ["!!seq [a]", ["a"]],
  ["!!str !!str a", ""],
])("reads tags and directives: %j", (text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

it.each<readonly [text: string, message: string]>([
  ["a: !<tag:yaml.org,2002:str 1", "did not find the expected '>'"],
  ["a: !<> 1", "did not find expected tag URI"],
  ["a: !!st%7 1", "did not find URI escaped octet"],
  ["a: !%E9 1", "found an incorrect leading UTF-8 octet"],
  ["a: !e!x 1", "found undefined tag handle"],
  ["%TAG !e! x\n%TAG !e! y\n--- a", "line 1: found duplicate %TAG directive"],
  ["%YAML 1.1\n%YAML 1.1\n--- a", "line 1: found duplicate %YAML directive"],
  ["%YAML 1.1 x\n--- a", "did not find expected comment or line break"],
  ["%YAML 1\n--- a", "did not find expected digit or '.' character"],
  ["%YAML 1.\n--- a", "did not find expected version number"],
  ["%YAML .1\n--- a", "did not find expected version number"],
  ["%YAML 100.1\n--- a", "found extremely long version number"],
  ["%YAML 1.100\n--- a", "found extremely long version number"],
  ["%FOO bar\n--- a", "found unknown directive name"],
  ["% x\n--- a", "could not find expected directive name"],
  ["%YAML! 1.1\n--- a", "found unexpected non-alphabetical character"],
  ["%TAG !e x\n--- a", "did not find expected '!'"],
  ["%TAG e! x\n--- a", "did not find expected '!'"],
  ["%TAG !e!x\n--- a", "did not find expected whitespace"],
  ["%TAG !e! \n--- a", "did not find expected tag URI"],
  ["%TAG !e! x{\n--- a", "did not find expected whitespace or line break"],
  ["%YAML 1.1\n", "line 1: did not find expected <document start>"],
  ["%YAML 1.1\na: b", "line 1: did not find expected <document start>"],
  ["a: !!int\n", "cannot decode !!null `` as a !!int"],
])("refuses tags and directives: %j", (text, message) => {
  expect(() => readYaml(text)).toThrow(new YamlError(message));
});
