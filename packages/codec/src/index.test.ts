import { expect, it } from "vitest";
import * as api from "./index.ts";
import * as schema from "./schema/index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "TypeMismatchError",
    "UnreadableTextError",
    "aggregatedFormat",
    "applyRawJsonPatch",
    "asObjectMeta",
    "base64In",
    "checkObject",
    "convertScalar",
    "decodeBody",
    "decodeBuiltin",
    "decodeDocument",
    "decodeOptions",
    "decodeScalar",
    "decodeValue",
    "encode",
    "encodeDocument",
    "encodeMessage",
    "envelopeHead",
    "envelopeTail",
    "fieldHead",
    "inEnvelope",
    "isProduced",
    "isProtobuf",
    "isTooDeep",
    "isTypeMismatchError",
    "isUnreadableTextError",
    "kindOfDocument",
    "negotiate",
    "negotiateError",
    "notProduced",
    "notStreamed",
    "parseAccept",
    "parsePatch",
    "pruneCustom",
    "readJsonText",
    "readYaml",
    "readYamlText",
    "unexplained",
    "unknownView",
    "wantsPretty",
    "watchFrame",
    "wireFields",
    "withType",
    "wrongType",
  ]);
});

it("exports these names under ./schema", () => {
  expect(Object.keys(schema).sort()).toEqual([
    "TypeTables",
    "builtinCatalogue",
    "builtinSchema",
    "deduced",
    "listMetaSchema",
    "memberSchema",
    "objectMetaSchema",
    "patchSchemaOf",
    "scalar",
    "sharedType",
    "untyped",
  ]);
});
