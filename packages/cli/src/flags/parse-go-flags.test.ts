import { expect, it } from "vitest";
import { etcdFlags } from "../etcd/flag-table.ts";
import { FlagError } from "./flag-error.ts";
import { parseGoFlags } from "./parse-go-flags.ts";

const parse = (...argv: string[]) => parseGoFlags(etcdFlags, argv);

it("accepts one dash or two, and ends at the first argument that is not a flag", () => {
  const { values, args } = parse(
    "-name",
    "a",
    "--data-dir=/d",
    "--unsafe-no-fsync",
    "-pre-vote=false",
    "word",
    "--nosuch",
  );
  expect([values.text("name"), values.text("data-dir")]).toEqual(["a", "/d"]);
  expect([values.boolean("unsafe-no-fsync"), values.boolean("pre-vote")]).toEqual([true, false]);
  expect(args).toEqual(["word", "--nosuch"]);
});

// messages of etcd 3.6.8
it.each([
  ["--nosuch", "flag provided but not defined: -nosuch"],
  ["--name", "flag needs an argument: -name"],
  ["-=x", "bad flag syntax: -=x"],
  ["---x", "bad flag syntax: ---x"],
  ["--snapshot-count=-1", 'invalid value "-1" for flag -snapshot-count: parse error'],
  ["--grpc-keepalive-interval=5", 'invalid value "5" for flag -grpc-keepalive-interval: parse error'],
  ["--unsafe-no-fsync=maybe", 'invalid boolean value "maybe" for -unsafe-no-fsync: parse error'],
  [
    "--max-concurrent-streams=x",
    'invalid value "x" for flag -max-concurrent-streams: strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    "--max-concurrent-streams=5000000000",
    'invalid value "5000000000" for flag -max-concurrent-streams: strconv.ParseUint: parsing "5000000000": value out of range',
  ],
  ["--discovery-fallback=x", 'invalid value "x" for flag -discovery-fallback: invalid value'],
  ["--v2-deprecation=x", 'invalid value "x" for flag -v2-deprecation: invalid value "x"'],
  [
    "--listen-client-urls=foo",
    'invalid value "foo" for flag -listen-client-urls: URL scheme must be http, https, unix, or unixs: foo',
  ],
  [
    "--listen-client-urls=http://foo",
    'invalid value "http://foo" for flag -listen-client-urls: URL address does not have the form "host:port": http://foo',
  ],
  [
    "--listen-client-urls=http://foo:80:9",
    'invalid value "http://foo:80:9" for flag -listen-client-urls: parse "http://foo:80:9": invalid port ":80:9" after host',
  ],
  [
    "--listen-client-urls=http://127.0.0.1:1/path",
    'invalid value "http://127.0.0.1:1/path" for flag -listen-client-urls: URL must not contain a path: http://127.0.0.1:1/path',
  ],
])("refuses %s", (text, message) => {
  expect(() => parse(text)).toThrow(new FlagError(message));
});
