import { kubernetesVersion } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { flagsWithoutEffect, kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { FlagError } from "./flag-error.ts";
import { parsePflags } from "./parse-pflags.ts";

const parse = (...argv: string[]) => parsePflags(new Map([...kubeApiServerFlags, ...flagsWithoutEffect]), argv);

describe("a command line of Kubernetes' programs", () => {
  it("accepts values after an equals sign or as next argument, and booleans without a value", () => {
    const { values, args } = parse(
      "--secure-port=1",
      "--bind-address",
      "127.0.0.1",
      "--allow-privileged",
      "-v2",
      "-v",
      "3",
    );
    expect(values.number("secure-port")).toBe(1);
    expect(values.text("bind-address")).toBe("127.0.0.1");
    expect(values.boolean("allow-privileged")).toBe(true);
    expect(values.texts("v")).toEqual(["2", "3"]);
    expect(args).toEqual([]);
  });

  it("accepts underscores for dashes, and treats everything after -- as arguments", () => {
    const { values, args } = parse("--secure_port=1", "x", "--", "--nosuch");
    expect(values.given("secure-port")).toBe("1");
    expect(args).toEqual(["x", "--nosuch"]);
  });

  it("joins lists of several flags, and keeps quoted commas", () => {
    const { values } = parse("--authorization-mode=Node,RBAC", '--authorization-mode="a,b"');
    expect(values.list("authorization-mode")).toEqual(["Node", "RBAC", "a,b"]);
  });

  it("returns defaults", () => {
    const { values } = parse("--event-ttl=1h0m0s");
    expect(values.milliseconds("request-timeout")).toBe(60_000);
    expect(values.boolean("anonymous-auth")).toBe(true);
  });
});

// messages of kube-apiserver
it.each([
  ["--nosuch", "unknown flag: --nosuch"],
  ["--no_such", "unknown flag: --no_such"],
  ["-x", "unknown shorthand flag: 'x' in -x"],
  ["--=x", "bad flag syntax: --=x"],
  ["--secure-port", "flag needs an argument: --secure-port"],
  ["-v", "flag needs an argument: 'v' in -v"],
  [
    "--secure-port=abc",
    'invalid argument "abc" for "--secure-port" flag: strconv.ParseInt: parsing "abc": invalid syntax',
  ],
  ["--secure-port=", 'invalid argument "" for "--secure-port" flag: strconv.ParseInt: parsing "": invalid syntax'],
  [
    "--secure-port=1.5",
    'invalid argument "1.5" for "--secure-port" flag: strconv.ParseInt: parsing "1.5": invalid syntax',
  ],
  [
    "--secure-port=99999999999999999999999",
    'invalid argument "99999999999999999999999" for "--secure-port" flag: strconv.ParseInt: parsing "99999999999999999999999": value out of range',
  ],
  [
    "--allow-privileged=maybe",
    'invalid argument "maybe" for "--allow-privileged" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  ["--event-ttl=5", 'invalid argument "5" for "--event-ttl" flag: time: missing unit in duration "5"'],
  ["--event-ttl=5x", 'invalid argument "5x" for "--event-ttl" flag: time: unknown unit "x" in duration "5x"'],
  ["--event-ttl=abc", 'invalid argument "abc" for "--event-ttl" flag: time: invalid duration "abc"'],
  ["--bind-address=foo", 'invalid argument "foo" for "--bind-address" flag: failed to parse IP: "foo"'],
  [
    "--oidc-required-claim=foo",
    'invalid argument "foo" for "--oidc-required-claim" flag: malformed pair, expect string=string',
  ],
  [
    '--etcd-servers=a"b',
    'invalid argument "a\\"b" for "--etcd-servers" flag: parse error on line 1, column 2: bare " in non-quoted-field',
  ],
  ["--version=foo", 'invalid argument "foo" for "--version" flag: strconv.ParseBool: parsing "foo": invalid syntax'],
  [
    "--version=v1.30.0",
    `invalid argument "v1.30.0" for "--version" flag: version "v1.30.0" must match major/minor/patch of default version "${kubernetesVersion}"`,
  ],
])("refuses %s", (text, message) => {
  expect(() => parse(text)).toThrow(new FlagError(message));
});
