import { apply, get, patch, post, put, type RequestStep, type Sequence } from "../runner/sequence.ts";
import { crd, crds, custom, isEstablished } from "./objects.ts";

type Rule = string | Readonly<Record<string, unknown>>;

const validations = (...rules: readonly Rule[]): object => ({
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const text = { type: "string", maxLength: 20 };
const short = { type: "string", maxLength: 5 };

/** A member of every type that rules support. */
const members = {
  n: { type: "integer" },
  m: { type: "integer" },
  f: { type: "number" },
  b: { type: "boolean" },
  name: text,
  long: { type: "string" },
  list: { type: "array", maxItems: 10, items: text },
  ints: { type: "array", maxItems: 10, items: { type: "integer" } },
  set: { type: "array", maxItems: 10, items: text, "x-kubernetes-list-type": "set" },
  keyed: {
    type: "array",
    maxItems: 10,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", required: ["k"], properties: { k: text, v: { type: "integer" } } },
  },
  map: { type: "object", maxProperties: 5, additionalProperties: text },
  either: { "x-kubernetes-int-or-string": true, maxLength: 10 },
  time: { type: "string", format: "date-time" },
  span: { type: "string", format: "duration" },
  day: { type: "string", format: "date" },
  bytes: { type: "string", format: "byte", maxLength: 20 },
  inner: { type: "object", properties: { x: text, y: { type: "integer" } } },
  "a-b": text,
  namespace: text,
  a__b: text,
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

const rulesOn = (rules: readonly Rule[], properties: object = members, rest: object = {}): object => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...rest, ...validations(...rules) } },
});

const define = (id: string, schema: object, version: object = {}): RequestStep =>
  post(id, `${crds}?dryRun=All`, crd({ plural: "ruleds", kind: "Ruled", schema, version }), {
    pick: (body) => (body.kind === "Status" ? body : body.kind),
  });

const badExpressions: readonly string[] = [
  "self.",
  "self.n +",
  "self.n = 1",
  "self.n == ",
  "(self.n == 1",
  "self.n == 1)",
  "self.list[0",
  "self.list.all(x, x)",
  "self.list.all(x.y, true)",
  "self.list.map(1, true)",
  "'abc",
  "#",
  "self.n & 1",
  "self.n || self.m",
  "self.nope == 1",
  "self.inner.nope == 1",
  "self.name.nope",
  "self.n.nope",
  "self.list.nope",
  "self.free.x == 1",
  "self.n == 'a'",
  "self.n + self.f > 1.0",
  "self.name + 1 == 'a'",
  "self.name > 1",
  "self.name.startsWith(1)",
  "self.name.foo()",
  "foo(self.name)",
  "nope",
  "has(self)",
  "has(self.nope)",
  "self.n",
  "self.name",
  "self.list",
  "!self.n",
  "-self.name == 1",
  "self.n ? true : false",
  "self.n == 1 ? 'a' : 2",
  "self.list.all(x, x > 1)",
  "self.n in ['a']",
  "self.name in self.ints",
  "[1, 'a'].size() > 0",
  "{'a': 1, 1: 2}.size() > 0",
  "self.name.matches('[')",
  "self.name.find('[') == ''",
  "duration('x') == self.span",
  "timestamp('2020') == self.time",
  "int('x') == self.n",
  "'%s'.format([]) == self.name",
  "'%d'.format(['a']) == self.name",
  "'%s'.format(['a', 'b']) == self.name",
  "'%q'.format(['a']) == self.name",
  "9223372036854775808 == self.n",
  "if == 1",
  "self.for == 1",
  "self.n == 1 &&\n  self.nope == 2",
  "self.name == 'é' && self.nope == 'é'",
  "dyn(self).nope == 1 && nope",
  "self.n == self.nope && self.m == self.neither",
  "self.metadata.name == 'a'",
  "self.set == 1",
  "size(self.n) > 0",
  "self.ints.sum() == 'a'",
  "self.list.sum() == 1",
  "quantity(self.n).sign() == 1",
  "ip(self.name) == cidr(self.name)",
  "self.name.split(',') == 'a'",
  "optional.of(self.n).value() == 'a'",
  "self.?nope.hasValue()",
  "cel.bind(x, 1, x == 1)",
  "authorizer.path('/').check('get').allowed()",
  "[self.n].exists_one(self.n, true)",
  "self.list.transformList(i, i, true).size() == 0",
  "1 == 1u && 1 == 1.0 && 'a' == b'a'",
];

const goodExpressions: readonly string[] = [
  "self.__namespace__ == 'a' || self.namespace == 'b'",
  "self.a__dash__b == 'a' && self.a__underscores__b == 'b'",
  "type(self.either) == int ? self.either > 1 : self.either.size() > 1",
  "self.list.map(x, x.size()).sum() > 3 && self.ints.isSorted()",
  "self.keyed.all(x, x.v > 0) && self.map.exists(k, self.map[k] == k)",
  "self.?inner.?x.orValue('') == '' && self.map[?'a'].hasValue()",
  "self.list.exists(i, v, i > 0 && v == 'a')",
  "has(self.name) && has(self.inner.x)",
  "quantity('1Gi').isGreaterThan(quantity('1M')) && ip('::1').family() == 6",
];

const unlimited = {
  texts: { type: "array", items: { type: "string" } },
  map: { type: "object", additionalProperties: { type: "string" } },
  long: { type: "string" },
};

const costs: Readonly<Record<string, string>> = {
  "one loop over unlimited texts": "self.texts.all(x, x.contains('a'))",
  "loop in a loop": "self.texts.all(x, self.texts.all(y, x == y))",
  "loop over a map": "self.map.all(k, self.map[k].matches('^[a-z]+$'))",
  "pattern that is unlimited": "self.long.matches(self.long)",
  "many steps": "self.texts.map(x, x + x).all(y, y.size() > 1)",
  "joined texts": "self.texts.join('').contains(self.long)",
  sorted: "self.texts.sort() == self.texts",
  replaced: "self.long.replace('a', 'bbbb').contains('c')",
  "nothing dear": "self.texts.size() < 10 && self.long.size() < 10",
};

/** The value of a custom object in each of its cases. */
const value = {
  n: 1,
  m: 2,
  f: 1.5,
  b: true,
  name: "abc",
  list: ["a", "b", "a"],
  ints: [1, 2, 3],
  set: ["a", "b"],
  keyed: [
    { k: "a", v: 1 },
    { k: "b", v: 2 },
  ],
  map: { a: "1", b: "2" },
  either: 5,
  time: "2020-01-01T00:00:00Z",
  span: "1h30m",
  day: "2020-01-02",
  bytes: "aGk=",
  inner: { x: "q" },
  "a-b": "dash",
  namespace: "ns",
  a__b: "underscores",
};

/** Rules, each alone on its own member of `spec`. */
const cases: Readonly<Record<string, Rule>> = {
  false: "false",
  "a message": { rule: "self.n > 1", message: "n must exceed 1" },
  "a message expression": { rule: "self.n > 1", messageExpression: "'it is ' + self.name" },
  "both messages": { rule: "self.n > 1", message: "plain", messageExpression: "'%d < %d'.format([self.n, 2])" },
  "a message expression that fails": {
    rule: "self.n > 1",
    message: "plain",
    messageExpression: "string(1 / (self.n - 1))",
  },
  "an empty message expression": { rule: "self.n > 1", messageExpression: "''" },
  "a message of two lines": { rule: "self.n > 1", messageExpression: "'a\\nb'" },
  forbidden: { rule: "self.n > 1", reason: "FieldValueForbidden", message: "not allowed" },
  required: { rule: "self.n > 1", reason: "FieldValueRequired", message: "is needed" },
  duplicate: { rule: "self.n > 1", reason: "FieldValueDuplicate", message: "is there twice" },
  "invalid with a path": { rule: "self.n > 1", reason: "FieldValueInvalid", fieldPath: ".n" },
  "a path to a key": { rule: "self.n > 1", fieldPath: ".map['a']" },
  "a path below": { rule: "self.n > 1", fieldPath: ".inner.x" },
  "missing field": "self.inner.y == 1",
  "missing key": "self.map['zz'] == ''",
  "missing index": "self.list[9] == ''",
  "division by zero": "self.n / 0 == 1",
  overflow: "self.n + 9223372036854775807 > 0",
  conversion: "int(self.name) == 1",
  "double to int": "int(self.f * 1e30) == 1",
  "wrong overload": "self.either.startsWith('a')",
  "wrong operator": "self.either + 'a' == ''",
  "wrong order": "self.either < 'a'",
  "empty minimum": "self.ints.filter(x, x > 9).min() == 1",
  "optional without value": "self.?inner.?y.value() == 1",
  "bad pattern": "self.name.matches(self.name + '[')",
  "bad quantity": "sign(quantity(self.name)) == 1",
  "bad address": "ip(self.name).family() == 4",
  "bad network": "cidr(self.name).prefixLength() == 4",
  "bad url": "url(self.name).getHost() == ''",
  "bad version": "semver(self.name).major() == 1",
  "bad duration": "duration(self.name) == duration('1s')",
  "bad time": "timestamp(self.name) == self.time",
  "bad index": "self.name.substring(9) == ''",
  "error and true": "self.map['zz'] == '' || self.n == 1",
  "error and false": "self.map['zz'] == '' || self.n == 2",
  "both sides wrong": "self.map['zz'] == '' && self.list[9] == ''",
  "sets regardless of order": "self.set != ['b', 'a']",
  "keyed lists regardless of order": "self.keyed != self.keyed",
  times: "self.time.getFullYear() != 2020 || self.day.getDate() != 2",
  spans: "self.span < duration('1h')",
  bytes: "self.bytes != b'hi'",
  formats: "!format.dns1123Label().validate(self.name).hasValue()",
  "two rules": "self.n > 1",
  "trailing space": { rule: "  self.n > 1  ", message: "  spaces  " },
};

const caseName = (i: number): string => `c${i}`;
const caseSchemas = Object.fromEntries(
  Object.values(cases).map((rule, i) => [
    caseName(i),
    { type: "object", properties: members, ...validations(rule, ...(i === 43 ? ["self.m > 2"] : [])) },
  ]),
);

const ruled = (spec: object, name = "r"): object => ({
  apiVersion: "parity.example.com/v1",
  kind: "Ruled",
  metadata: { name },
  spec,
});

const established = (plural: string): RequestStep =>
  get("established", `${crds}/${plural}.parity.example.com`, { until: isEstablished });

/** Rules on values that are not objects, and below lists and maps. */
const places = {
  type: "object",
  properties: {
    number: { type: "integer", ...validations("self < 5") },
    fraction: { type: "number", ...validations("self < 5.0") },
    flag: { type: "boolean", ...validations("self") },
    text: { ...text, ...validations({ rule: "self.startsWith('a')", message: "must begin with a" }) },
    list: {
      type: "array",
      maxItems: 5,
      items: { ...text, ...validations("self != 'bad'") },
      ...validations("self.size() < 3"),
    },
    map: {
      type: "object",
      maxProperties: 5,
      additionalProperties: { type: "integer", ...validations("self > 0") },
      ...validations("self.all(k, k.size() < 3)"),
    },
    either: { "x-kubernetes-int-or-string": true, ...validations("type(self) == string || self > 3") },
    nullable: { ...text, nullable: true, ...validations("self == 'x'") },
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      ...validations("self.metadata.name == 'a'", "self.kind != 'Bad'"),
    },
    "odd name": { type: "integer", ...validations("self < 5") },
    limited: { ...text, maxLength: 3, ...validations("self != 'bad'") },
    defaulted: { type: "integer", default: 7, ...validations("self < 100") },
  },
};

const transitions = {
  type: "object",
  properties: {
    fixed: { ...text, ...validations({ rule: "self == oldSelf", message: "is immutable" }) },
    rising: { type: "integer", ...validations("self >= oldSelf") },
    optional: {
      type: "integer",
      ...validations({ rule: "oldSelf.hasValue() ? self > oldSelf.value() : self == 1", optionalOldSelf: true }),
    },
    keyed: {
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: short, v: { type: "integer", ...validations("self >= oldSelf") } },
        ...validations("self.v < 100", "self.v >= oldSelf.v"),
      },
    },
    map: {
      type: "object",
      maxProperties: 5,
      additionalProperties: { type: "integer", ...validations("self >= oldSelf") },
    },
    ratchet: {
      type: "object",
      properties: {
        a: text,
        b: text,
        list: { type: "array", maxItems: 5, items: { ...short, ...validations("self != 'bad'") } },
      },
      ...validations("self.a == 'good'"),
    },
  },
  ...validations({ rule: "!has(oldSelf.fixed) || has(self.fixed)", message: "fixed cannot be removed" }),
};

/** Objects with one violation each. */
const ratcheted: Readonly<Record<string, object>> = {
  scalar: { a: "bad" },
  object: { inner: { x: "bad", y: "1" } },
  list: { list: ["bad", "good"] },
  map: { map: { a: "bad" } },
  keyed: { keyed: [{ k: "a", v: 7 }] },
};

const ratchet = (spec: object, name: string): object => ({ ...ruled(spec, name), kind: "Ratchet" });

const moving = (spec: object): object => ({ ...ruled(spec), kind: "Moving" });
const merge = (id: string, spec: object): RequestStep => patch(id, "merge", `${custom}/movings/m`, { spec });

export const celRules: readonly Sequence[] = [
  {
    name: "rules-that-do-not-compile",
    steps: badExpressions.map((rule) => define(rule, rulesOn([{ rule, message: "m" }]))),
  },
  { name: "rules-that-compile", steps: goodExpressions.map((rule) => define(rule, rulesOn([rule]))) },
  {
    name: "cost-of-rules",
    steps: [
      ...Object.entries(costs).map(([id, rule]) => define(id, rulesOn([rule], unlimited))),
      define("below an unlimited list", {
        type: "object",
        properties: {
          list: {
            type: "array",
            items: { type: "object", properties: { a: { type: "string" } }, ...validations("self.a.contains('x')") },
          },
        },
      }),
      define(
        "a message that is dear",
        rulesOn([{ rule: "true", messageExpression: "self.texts.map(x, x + x + x).join('')" }], unlimited),
      ),
      define(
        "all together",
        rulesOn(
          Array.from({ length: 11 }, () => "self.texts.all(x, x.size() < 20)"),
          unlimited,
        ),
      ),
    ],
  },
  {
    name: "form-of-rules",
    steps: [
      define("no rule", rulesOn([{ rule: " " }])),
      define("empty message", rulesOn([{ rule: "true", message: " " }])),
      define("message of two lines", rulesOn([{ rule: "true", message: "a\nb" }])),
      define("rule of two lines without message", rulesOn(["true &&\ntrue"])),
      define("empty message expression", rulesOn([{ rule: "true", messageExpression: " " }])),
      define("message expression that is no text", rulesOn([{ rule: "true", messageExpression: "self.n" }])),
      define("message expression that does not compile", rulesOn([{ rule: "true", messageExpression: "self.nope" }])),
      define("unknown reason", rulesOn([{ rule: "true", reason: "Nope" }])),
      define("empty path", rulesOn([{ rule: "true", fieldPath: " " }])),
      define("path that leads nowhere", rulesOn([{ rule: "true", fieldPath: ".nope" }])),
      define("path without dot", rulesOn([{ rule: "true", fieldPath: "n" }])),
      define("path with an index", rulesOn([{ rule: "true", fieldPath: ".list[0]" }])),
      define("path with a key", rulesOn([{ rule: "true", fieldPath: ".map['a.b']" }])),
      define("optional old value that is not used", rulesOn([{ rule: "true", optionalOldSelf: true }])),
      define("old value in an atomic list", {
        type: "object",
        properties: { list: { type: "array", maxItems: 3, items: { ...text, ...validations("self == oldSelf") } } },
      }),
      define("old value in a set", {
        type: "object",
        properties: {
          list: {
            type: "array",
            maxItems: 3,
            "x-kubernetes-list-type": "set",
            items: { ...text, ...validations("self == oldSelf") },
          },
        },
      }),
      define("old value below an atomic list", {
        type: "object",
        properties: {
          list: {
            type: "array",
            maxItems: 3,
            items: {
              type: "object",
              properties: { a: { type: "object", properties: { b: { ...text, ...validations("self == oldSelf") } } } },
            },
          },
        },
      }),
      define("old value in a keyed list", { type: "object", properties: { keyed: transitions.properties.keyed } }),
      define("rules in any of", {
        type: "object",
        properties: { a: { ...text, anyOf: [{ pattern: "a", ...validations("true") }] } },
      }),
      define("rule on what has no type", {
        type: "object",
        properties: { free: { "x-kubernetes-preserve-unknown-fields": true, ...validations("true") } },
      }),
      define("metadata at the root", { type: "object", ...validations("self.metadata.name.startsWith('a')") }),
      define("labels at the root", { type: "object", ...validations("size(self.metadata.labels) > 0") }),
      define("default that a rule refuses", {
        type: "object",
        properties: { a: { type: "integer", default: 7, ...validations("self < 5") } },
      }),
      define("default of which a part is refused", {
        type: "object",
        properties: {
          a: { type: "object", default: { b: 7 }, properties: { b: { type: "integer", ...validations("self < 5") } } },
        },
      }),
      define("errors of the schema hide those of rules", rulesOn(["self.nope"], { a: { type: "nope" } })),
      define("selectable field", rulesOn(["true"]), { selectableFields: [{ jsonPath: ".spec.list[0]" }] }),
      define("selectable field of a map", rulesOn(["true"]), { selectableFields: [{ jsonPath: ".spec.map.x" }] }),
    ],
  },
  {
    name: "rules-on-instances",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "ruleds",
          kind: "Ruled",
          schema: { type: "object", properties: { spec: { type: "object", properties: caseSchemas } } },
        }),
        {
          pick: (body) => (body.kind === "Status" ? body : body.kind),
        },
      ),
      established("ruleds"),
      ...Object.keys(cases).map((id, i) => post(id, `${custom}/ruleds?dryRun=All`, ruled({ [caseName(i)]: value }))),
    ],
  },
  {
    name: "places-of-rules",
    steps: [
      post(
        "define",
        crds,
        crd({ plural: "placeds", kind: "Placed", schema: { type: "object", properties: { spec: places } } }),
        {
          pick: (body) => (body.kind === "Status" ? body : body.kind),
        },
      ),
      established("placeds"),
      ...Object.entries({
        number: { number: 7 },
        fraction: { fraction: 7.5 },
        flag: { flag: false },
        text: { text: "xyz" },
        "item of a list": { list: ["a", "bad"] },
        "whole list": { list: ["a", "b", "c"] },
        "member of a map": { map: { a: 0 } },
        "whole map": { map: { abcd: 1 } },
        "int or string": { either: 1 },
        null: { nullable: null },
        embedded: { embedded: { apiVersion: "v1", kind: "Bad", metadata: { name: "a" } } },
        "embedded without name": { embedded: { apiVersion: "v1", kind: "X" } },
        "odd name": { "odd name": 7 },
        "not evaluated beside other errors": { limited: "abcd", number: 7 },
        "a list and its item": { list: ["bad", "b", "c"] },
        default: { defaulted: 100 },
        fine: { number: 1, fraction: 1.5, flag: true, text: "abc", list: ["a"], map: { a: 1 }, either: "x" },
      }).map(([id, spec]) => post(id, `${custom}/placeds?dryRun=All`, { ...ruled(spec), kind: "Placed" })),
    ],
  },
  {
    name: "transition-rules",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "movings",
          kind: "Moving",
          schema: { type: "object", properties: { spec: transitions } },
          version: { subresources: { status: {} } },
        }),
        {
          pick: (body) => (body.kind === "Status" ? body : body.kind),
        },
      ),
      established("movings"),
      post("optional old value that is missing", `${custom}/movings?dryRun=All`, moving({ optional: 2 })),
      post("create", `${custom}/movings`, {
        ...moving({
          fixed: "a",
          rising: 5,
          keyed: [
            { k: "a", v: 5 },
            { k: "b", v: 6 },
          ],
          map: { a: 1 },
        }),
        metadata: { name: "m" },
      }),
      merge("immutable", { fixed: "b" }),
      merge("removed", { fixed: null }),
      merge("falling", { rising: 4 }),
      merge("rising", { rising: 6 }),
      merge("optional old value comes", { optional: 1 }),
      merge("optional old value is there", { optional: 1, rising: 7 }),
      merge("optional old value goes", { optional: null }),
      merge("optional old value comes wrong", { optional: 5 }),
      merge("keyed items by their key", {
        keyed: [
          { k: "b", v: 6 },
          { k: "a", v: 4 },
        ],
      }),
      merge("new keyed item", {
        keyed: [
          { k: "c", v: 1 },
          { k: "a", v: 5 },
        ],
      }),
      merge("members of a map", { map: { a: 0 } }),
      merge("new members of a map", { map: { b: 0 } }),
      merge("bad from the start", { ratchet: { a: "bad", b: "x" } }),
      put("without resourceVersion", `${custom}/movings/m`, { ...moving({}), metadata: { name: "m" } }),
    ],
  },
  {
    name: "rules-and-subresources",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "scaleds",
          kind: "Scaled",
          schema: scaledSchema(),
          version: {
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
            },
            selectableFields: [{ jsonPath: ".spec.color" }],
          },
        }),
        { pick: (body) => (body.kind === "Status" ? body : body.kind) },
      ),
      established("scaleds"),
      post("name at the root", `${custom}/scaleds?dryRun=All`, {
        ...ruled({ replicas: 1 }, "bad-name"),
        kind: "Scaled",
      }),
      post("create drops the status", `${custom}/scaleds`, {
        ...ruled({ replicas: 1, color: "red" }, "s"),
        kind: "Scaled",
        status: { replicas: -1 },
      }),
      get("selected", `${custom}/scaleds?fieldSelector=spec.color%3Dred`, { pick: (body) => body.items?.length }),
      patch("status that is refused", "merge", `${custom}/scaleds/s/status`, { status: { replicas: -1 } }),
      patch("status beyond the spec", "merge", `${custom}/scaleds/s/status`, { status: { replicas: 5 } }),
      patch("status that is fine", "merge", `${custom}/scaleds/s/status`, { status: { replicas: 1 } }),
      patch("status transition", "merge", `${custom}/scaleds/s/status`, { status: { replicas: 0 } }),
      patch("scale that is refused", "merge", `${custom}/scaleds/s/scale`, { spec: { replicas: 11 } }),
      patch("scale that is fine", "merge", `${custom}/scaleds/s/scale`, { spec: { replicas: 4 } }),
      patch("json patch", "json", `${custom}/scaleds/s`, [{ op: "replace", path: "/spec/replicas", value: 12 }]),
      apply("applied", `${custom}/scaleds/s`, "rules&force=true", { ...ruled({ replicas: 13 }, "s"), kind: "Scaled" }),
    ],
  },
  {
    name: "conformance-of-rules",
    steps: [
      post("define", crds, crd({ plural: "suites", kind: "Suite", schema: conformanceSchema() }), {
        pick: (body) => (body.kind === "Status" ? body : body.kind),
      }),
      established("suites"),
      post("rules that hold", `${custom}/suites?dryRun=All`, {
        ...ruled({ x: 1, y: 0, firstArray: [1, 2], secondArray: [1, 2], largeArray: numbers(2, 5) }),
        kind: "Suite",
        status: { health: "ok" },
      }),
      post("a rule that does not hold", `${custom}/suites?dryRun=All`, {
        ...ruled({ x: -1, y: 0, firstArray: [1, 2], secondArray: [1, 2], largeArray: numbers(2, 5) }),
        kind: "Suite",
      }),
      post("too dear at run time", `${custom}/suites?dryRun=All`, {
        ...ruled({ x: 1, y: 0, firstArray: [1, 2], secondArray: [1, 2], largeArray: numbers(725, 20) }),
        kind: "Suite",
      }),
      post("status that is refused", `${custom}/suites?dryRun=All`, {
        ...ruled({ x: 1, y: 0, firstArray: [], secondArray: [], largeArray: [] }),
        kind: "Suite",
        status: { health: "ill" },
      }),
      define("a loop in every item", {
        type: "object",
        properties: {
          x: {
            type: "array",
            items: { type: "array", items: { type: "string" }, ...validations("self.all(s, s == 'string constant')") },
          },
        },
      }),
    ],
  },
  {
    name: "ratcheting-of-rules",
    steps: [
      post(
        "define",
        crds,
        crd({ plural: "ratchets", kind: "Ratchet", schema: { type: "object", properties: { spec: anySpec() } } }),
        {
          pick: (body) => (body.kind === "Status" ? body : body.kind),
        },
      ),
      established("ratchets"),
      ...Object.entries(ratcheted).map(([name, spec]) =>
        post(`create ${name}`, `${custom}/ratchets`, ratchet(spec, name)),
      ),
      patch(
        "rules come",
        "json",
        `${crds}/ratchets.parity.example.com`,
        [{ op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec", value: strictSpec() }],
        { pick: (body) => (body.kind === "Status" ? body : body.kind) },
      ),
      post("a new one is refused", `${custom}/ratchets?dryRun=All`, ratchet({ a: "bad" }, "other"), {
        until: (body) => body.kind === "Status",
      }),
      ...Object.keys(ratcheted).map((name) =>
        patch(`what did not change may stay: ${name}`, "merge", `${custom}/ratchets/${name}`, { spec: { n: 2 } }),
      ),
      patch("labels", "merge", `${custom}/ratchets/scalar`, { metadata: { labels: { a: "b" } } }),
      patch("what changed is refused", "merge", `${custom}/ratchets/scalar`, { spec: { a: "worse" } }),
      patch("what is mended is fine", "merge", `${custom}/ratchets/scalar`, { spec: { a: "good" } }),
      patch("and may not come back", "merge", `${custom}/ratchets/scalar`, { spec: { a: "bad" } }),
      patch("a changed part of an object", "merge", `${custom}/ratchets/object`, { spec: { inner: { y: "2" } } }),
      patch("a longer list", "merge", `${custom}/ratchets/list`, { spec: { list: ["bad", "good", "new"] } }),
      patch("another keyed item", "merge", `${custom}/ratchets/keyed`, {
        spec: { keyed: [{ k: "b" }, { k: "a", v: 7 }] },
      }),
      patch("a changed keyed item", "merge", `${custom}/ratchets/keyed`, { spec: { keyed: [{ k: "a", v: 8 }] } }),
      patch("another member of a map", "merge", `${custom}/ratchets/map`, { spec: { map: { b: "good" } } }),
    ],
  },
];

function anySpec(): object {
  return {
    type: "object",
    properties: {
      n: { type: "integer" },
      a: text,
      inner: { type: "object", properties: { x: text, y: text } },
      list: { type: "array", maxItems: 5, items: text },
      map: { type: "object", maxProperties: 5, additionalProperties: text },
      keyed: keyedNumbers({}),
    },
  };
}

function keyedNumbers(rules: object): object {
  return {
    type: "array",
    maxItems: 5,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", required: ["k"], properties: { k: short, v: { type: "integer" } }, ...rules },
  };
}

function strictSpec(): object {
  const good = { ...text, ...validations("self != 'bad' && self != 'worse'") };
  return {
    type: "object",
    properties: {
      n: { type: "integer" },
      a: good,
      inner: { type: "object", properties: { x: text, y: text }, ...validations("self.x != 'bad'") },
      list: { type: "array", maxItems: 5, items: good },
      map: { type: "object", maxProperties: 5, additionalProperties: good },
      keyed: keyedNumbers(validations("!has(self.v) || self.v < 5")),
    },
  };
}

function numbers(length: number, value: number): number[] {
  return Array.from({ length }, () => value);
}

/** Returns a schema of the conformance specs for validation rules. */
function conformanceSchema(): object {
  const list = (maxItems: number): object => ({ type: "array", maxItems, items: { type: "integer" } });
  return {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          x: { type: "integer" },
          y: { type: "integer" },
          firstArray: list(1000),
          secondArray: list(1000),
          largeArray: list(725),
        },
        ...validations(
          "self.x + self.y > 0",
          "self.firstArray.isSorted() && self.secondArray.isSorted() && ((self.firstArray.sum() + self.secondArray.sum()) % 2 == 0)",
          "self.largeArray.all(x, self.largeArray.all(y, y == x))",
        ),
      },
      status: {
        type: "object",
        properties: { health: { type: "string" } },
        ...validations("self.health == 'ok' || self.health == 'unhealthy'"),
      },
    },
  };
}

function scaledSchema(): object {
  return {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          replicas: { type: "integer", ...validations("self <= 10") },
          color: { ...text, ...validations({ rule: "self == oldSelf", message: "color is immutable" }) },
        },
      },
      status: {
        type: "object",
        properties: { replicas: { type: "integer", ...validations("self >= 0", "self >= oldSelf") } },
      },
    },
    ...validations("!self.metadata.name.startsWith('bad')", {
      rule: "!has(self.status) || !has(self.status.replicas) || self.status.replicas <= self.spec.replicas",
      message: "more than wanted",
      fieldPath: ".status.replicas",
    }),
  };
}
