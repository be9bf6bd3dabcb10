import { isStatusError, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { ExpectedType, RequestedFieldValidation } from "../body/expected-type.ts";
import { checkObject } from "../patch/check-object.ts";
import { encodeDocument } from "../protobuf/protobuf-document.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import type { ObjectSchema } from "../schema/type-schema.ts";
import { decodeBody } from "./decode.ts";
import { decodeOptions } from "./decode-options.ts";

function builtin(kind: string, apiVersion = "v1"): ExpectedType {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const gvk = { group, version, kind };
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(kind);
  return { gvk, schema, custom: false };
}
const json = (kind: string, body: string, validation: RequestedFieldValidation = "", apiVersion = "v1") =>
  decodeBody("application/json", Buffer.from(body), builtin(kind, apiVersion), validation);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isStatusError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the type at the start of an object", () => {
  const body = '{"metadata":{"name":"a"},"apiVersion":"v1","kind":"ConfigMap"}';
  it("is kind and apiVersion for built-in types, apiVersion and kind for custom ones, as in kube-apiserver", () => {
    const custom: ExpectedType = { ...builtin("ConfigMap"), custom: true };
    const keysOf = (type: ExpectedType) =>
      Object.keys(decodeBody("application/json", Buffer.from(body), type, "").object);
    expect(keysOf(builtin("ConfigMap"))).toEqual(["kind", "apiVersion", "metadata"]);
    expect(keysOf(custom)).toEqual(["apiVersion", "kind", "metadata"]);
  });
});

describe("numbers beyond the range of float64", () => {
  const huge = (kind: string) =>
    `400 ${kind} in version "v1" cannot be handled as a ${kind}: expected float64, got 1e400`;
  const custom = (body: string, type = "application/json") =>
    decodeBody(type, Buffer.from(body), { ...builtin("ConfigMap"), custom: true }, "Ignore");

  it("are refused anywhere in a custom resource", () => {
    expect(messageOf(() => custom('{"apiVersion":"v1","kind":"ConfigMap","x":[1e400]}'))).toBe(huge("ConfigMap"));
    expect(custom('{"apiVersion":"v1","kind":"ConfigMap","data":{"a":1e308}}').object).toMatchObject({
      data: { a: 1e308 },
    });
  });

  it("are texts in YAML", () => {
    const { object } = custom('{"apiVersion":"v1","kind":"ConfigMap","data":{"a":1e400}}', "application/yaml");
    expect(object).toMatchObject({ data: { a: "1e400" } });
  });

  it("are skipped in unknown fields of built-in types, and refused in the others", () => {
    expect(json("ConfigMap", '{"x":1e400}').warnings).toEqual(['unknown field "x"']);
    expect(messageOf(() => json("ControllerRevision", '{"data":{"a":1e400}}', "", "apps/v1"))).toBe(
      huge("ControllerRevision"),
    );
  });
});

describe("type errors of built-in types", () => {
  const cannot = (kind: string, text: string) => `400 ${kind} in version "v1" cannot be handled as a ${kind}: ${text}`;
  it.each([
    ["ConfigMap", '{"data":{"a":1}}', "data.a: expected string, got number"],
    ["ConfigMap", '{"metadata":{"name":1}}', "metadata.name: expected string, got number"],
    ["ConfigMap", '{"data":[]}', "data: expected object, got array"],
    ["Pod", '{"spec":{"containers":{"name":3}}}', "spec.containers: expected array, got object"],
    [
      "Pod",
      '{"spec":{"containers":[{"ports":[{"containerPort":1.5}]}]}}',
      "spec.containers[0].ports[0].containerPort: expected int32, got 1.5",
    ],
    [
      "Pod",
      '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}',
      "spec.containers[0].livenessProbe.httpGet.port: expected int32 or string, got boolean",
    ],
    [
      "Pod",
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}}',
      "spec.containers[0].resources.limits.cpu: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":"x"}}',
      'metadata.creationTimestamp: "x" is not a time such as 2006-01-02T15:04:05Z',
    ],
    ["Secret", '{"data":{"a":"%%"}}', "data.a: illegal base64 data"],
    ["Secret", '{"data":{"a":1}}', "data.a: expected base64 text, got number"],
  ])("%s %s", (kind, body, text) => {
    expect(messageOf(() => json(kind, body))).toBe(cannot(kind, text));
  });

  it("requires six digits in a MicroTime", () => {
    const run = () => json("Lease", '{"spec":{"renewTime":"2020-01-01T00:00:00Z"}}', "", "coordination.k8s.io/v1");
    expect(messageOf(run)).toContain(
      '400 Lease in version "v1" cannot be handled as a Lease: spec.renewTime: "2020-01-01T00:00:00Z" is not a time such as 2006-01-02T15:04:05.000000Z',
    );
  });
});

describe("the type of the body", () => {
  it.each([
    ["{", "not valid JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2) ({)"],
    ["", "not valid JSON: Unexpected end of JSON input (<empty>)"],
    ["[]", "expected object, got array (5b5d)"],
    [
      '{"kind":1,"apiVersion":"v1","metadata":{"name":"x"}}',
      'kind: expected string, got number ({"kind":1,"apiVersion":"v1","m ...)',
    ],
    [
      '{"kind":"ConfigMap","apiVersion":"a/b/c","metadata":{"name":"x"}}',
      'unexpected GroupVersion string: a/b/c ({"kind":"ConfigMap","apiVersio ...)',
    ],
  ])("unreadable: %s", (body, text) => {
    expect(messageOf(() => json("ConfigMap", body))).toBe(
      `400 the object provided is unrecognized (must be of type ConfigMap): ${text}`,
    );
  });

  it("rejects another kind or version", () => {
    expect(messageOf(() => json("ConfigMap", '{"kind":"Secret","apiVersion":"v1"}'))).toBe(
      '400 Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
    expect(messageOf(() => json("ConfigMap", '{"kind":"ConfigMap","apiVersion":"v2"}'))).toBe(
      '400 ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    );
  });

  it("fills in kind and apiVersion", () => {
    expect(json("ConfigMap", '{"metadata":{"name":"a"}}').object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
    });
  });

  it("rejects an unknown content type", () => {
    expect(messageOf(() => decodeBody("text/plain", Buffer.from("{}"), builtin("ConfigMap"), ""))).toBe(
      "415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });
});

describe("strict decoding", () => {
  const body =
    '{"metadata":{"name":"a","lables":{}},"bogus":1,"bogus":2,"spec":{"x":1,"containers":[{"name":"a","name":"b","foo":1}]}}';

  it("rejects unknown and repeated fields in the order of the text", () => {
    expect(messageOf(() => json("Pod", body, "Strict"))).toBe(
      '400 Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "metadata.lables", unknown field "bogus", unknown field "spec.x", duplicate field "spec.containers[0].name", unknown field "spec.containers[0].foo"',
    );
  });

  it("warns by default, but not with Ignore", () => {
    expect(json("Pod", body).warnings).toHaveLength(5);
    expect(json("Pod", body, "Ignore").warnings).toEqual([]);
    expect(json("Pod", body).object.spec).toEqual({ containers: [{ name: "b" }] });
  });
});

describe("values as Go prints them", () => {
  it("drops nulls and empty optional members, keeps pointers and zero elements", () => {
    const { object } = json(
      "Pod",
      '{"metadata":{"name":"a","labels":{},"creationTimestamp":null},"spec":{"automountServiceAccountToken":false,"hostNetwork":false,"containers":[{"name":"c","image":"","command":[],"resources":{"limits":{"cpu":"0.5","memory":1024}}}]}}',
    );
    expect(object).toMatchObject({
      metadata: { name: "a" },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: "c", resources: { limits: { cpu: "500m", memory: "1024" } } }],
      },
    });
    expect(Object.keys(object.metadata)).toEqual(["name"]);
    expect(json("ConfigMap", '{"data":{"b":null}}').object.data).toEqual({ b: "" });
  });

  it("keeps integers beyond 2^53", () => {
    const { object } = json("Pod", '{"metadata":{"generation":9223372036854775807}}');
    expect(object.metadata.generation).toBe(9223372036854775807n);
  });

  it("converts times to UTC", () => {
    const { object } = json("Pod", '{"metadata":{"creationTimestamp":"2020-01-01T02:00:00.5+02:00"}}');
    expect(object.metadata.creationTimestamp).toBe("2020-01-01T00:00:00Z");
  });
});

it("keeps an empty list with a meaning of its own", () => {
  const of = (kind: string, body: string, apiVersion = "v1") => json(kind, body, "", apiVersion).object;
  expect(of("ConfigMap", '{"metadata":{"managedFields":[],"finalizers":[]},"data":{}}').metadata).toEqual({
    managedFields: [],
  });
  const behavior = '{"spec":{"behavior":{"scaleUp":{"policies":[]}}}}';
  expect(of("HorizontalPodAutoscaler", behavior, "autoscaling/v2").spec).toMatchObject({
    behavior: { scaleUp: { policies: [] } },
  });
});

describe("YAML 1.1", () => {
  const yaml = (body: string, validation: RequestedFieldValidation = "") =>
    decodeBody("application/yaml", Buffer.from(body), builtin("ConfigMap"), validation);

  it("reads unquoted y, no and off as booleans, also as keys", () => {
    expect(yaml('data:\n  y: "1"\n  010: "z"\n').object.data).toEqual({ true: "1", "8": "z" });
    expect(messageOf(() => yaml("data:\n  a: yes\n"))).toContain("data.a: expected string, got boolean");
  });

  it("reports the line of a repeated key", () => {
    const body = "metadata:\n  name: a\n  name: b\ndata:\n  a: b\nx: 1\n";
    expect(messageOf(() => yaml(body, "Strict"))).toBe(
      '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 3: key "name" already set in map, unknown field "x"',
    );
    expect(yaml(body).warnings).toEqual(['line 3: key "name" already set in map', 'unknown field "x"']);
  });
});

describe("protobuf", () => {
  const namespace = Buffer.from(
    "6b3873000a0f0a02763112094e616d657370616365121a0a120a02743112001a0022002a00320038004200" + "12001a020a001a002200",
    "hex",
  );

  it("decodes the body of kubectl create namespace", () => {
    expect(decodeBody("application/vnd.kubernetes.protobuf", namespace, builtin("Namespace"), "").object).toEqual({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "t1" },
      spec: {},
      status: {},
    });
  });

  it("is not accepted for custom resources", () => {
    const expected = { ...builtin("Namespace"), custom: true };
    expect(messageOf(() => decodeBody("application/vnd.kubernetes.protobuf", namespace, expected, ""))).toMatch(
      /^415 /,
    );
  });
});

it("reports errors in a patch's result as errors of the field patch", () => {
  const patched: Unstructured = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: 1 } };
  expect(messageOf(() => checkObject(patched, builtin("ConfigMap"), ""))).toBe(
    '422  "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"a\\":1},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"name\\":\\"c\\"}}": data.a: expected string, got number',
  );
});

it("decodes delete options of any group, with or without kind", () => {
  const read = (body: string) => decodeOptions("application/json", Buffer.from(body), "DeleteOptions");
  expect(read("")).toEqual({});
  expect(read('{"propagationPolicy":"Background"}\n')).toEqual({ propagationPolicy: "Background" });
  expect(read('{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0}')).toEqual({
    gracePeriodSeconds: 0,
  });
});

describe("a custom resource", () => {
  const schema: ObjectSchema = { type: "object", fields: new Map(), isResource: true };
  const site: ExpectedType = { gvk: { group: "example.com", version: "v1", kind: "Site" }, schema, custom: true };
  const decode = (body: string, validation: RequestedFieldValidation = "", type = "application/json") =>
    decodeBody(type, Buffer.from(body), site, validation);
  const body = '{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"a"},"x":1,"x":2}';

  it("is pruned, with warnings unless validation ignores or refuses the problems", () => {
    const warnings = ['duplicate field "x"', 'unknown field "x"'];
    expect(decode(body)).toEqual({
      object: { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "a" } },
      warnings,
    });
    expect([decode(body, "Warn").warnings, decode(body, "Ignore").warnings]).toEqual([warnings, []]);
    expect(messageOf(() => decode(body, "Strict"))).toBe(
      `400 Site in version "v1" cannot be handled as a Site: strict decoding error: ${warnings.join(", ")}`,
    );
    expect(decode(body.replace(',"x":1,"x":2', ""), "Strict").warnings).toEqual([]);
  });

  const unrecognized = "400 the object provided is unrecognized (must be of type Site): ";
  it.each([
    ["null", `${unrecognized}expected object, got null (6e756c6c)`],
    [" {}\n", `${unrecognized}Object 'Kind' is missing in '{}' (207b7d0a)`],
    ['{"kind":null}', `${unrecognized}Object 'Kind' is missing in '{"kind":null}' ({"kind":null})`],
    ['{"kind":"Site"}', "400 the API version in the data () does not match the expected API version (example.com/v1)"],
    [
      '{"kind":"Site","apiVersion":"v1"}',
      "400 the API version in the data (v1) does not match the expected API version (example.com/v1)",
    ],
    [
      '{"kind":"Other","apiVersion":"example.com/v1","metadata":{"name":"a"}}',
      '422 Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Site',
    ],
    [
      '{"kind":"Other","apiVersion":"example.com/v1","metadata":{"name":5}}',
      '422 Other.example.com "" is invalid: kind: Invalid value: "Other": must be Site',
    ],
    [
      '{"kind":"Site","apiVersion":"example.com/v1","metadata":5}',
      '400 Site in version "v1" cannot be handled as a Site: metadata: expected object, got number',
    ],
  ])("is refused: %s", (text, message) => {
    expect(messageOf(() => decode(text))).toBe(message);
  });
});

it("reads JSON without a content type, and with parameters", () => {
  for (const type of [undefined, "", "application/json;charset=utf-8", "Application/JSON"])
    expect(decodeBody(type, Buffer.from("{}"), builtin("ConfigMap"), "Strict")).toEqual({
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: {} },
      warnings: [],
    });
  expect(json("ConfigMap", "null").object).toEqual({ kind: "ConfigMap", apiVersion: "v1", metadata: {} });
});

it("refuses too many values, in whatever format", () => {
  const values = Array.from({ length: 100_001 }, () => "").join('","');
  const keys = Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`k${i}`, ""]));
  const protobuf = encodeDocument({ apiVersion: "v1", kind: "ConfigMap", data: keys });
  const decode = (): unknown => decodeBody("application/vnd.kubernetes.protobuf", protobuf, builtin("ConfigMap"), "");
  expect(messageOf(decode)).toMatch(/^413 /);
  for (const type of ["application/json", "application/yaml"])
    expect(messageOf(() => decodeBody(type, Buffer.from(`{"x":["${values}"]}`), builtin("ConfigMap"), ""))).toMatch(
      /^413 /,
    );
});

it("names the package of the resource in a group", () => {
  expect(messageOf(() => json("Deployment", '{"kind":"Pod","apiVersion":"v1"}', "", "apps/v1"))).toContain(
    "converting (v1.Pod) to (apps.Deployment): unknown conversion",
  );
  const lease = '{"kind":"Deployment","apiVersion":"apps/v1"}';
  expect(messageOf(() => json("Lease", lease, "", "coordination.k8s.io/v1"))).toContain(
    "converting (v1.Deployment) to (coordination.Lease): unknown conversion",
  );
});

it("refuses protobuf of another kind, or none", () => {
  const read = (hex: string): string =>
    messageOf(() =>
      decodeBody("application/vnd.kubernetes.protobuf", Buffer.from(hex, "hex"), builtin("Namespace"), ""),
    );
  expect(read("6b387300" + "0a090a0276311203506f64")).toBe(
    '400 Pod in version "v1" cannot be handled as a Namespace: converting (v1.Pod) to (core.Namespace): unknown conversion',
  );
  expect(read("ff")).toBe(
    "400 the object provided is unrecognized (must be of type Namespace): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (ff)",
  );
});
