import { expect, it } from "vitest";
import { targetPath } from "./target-path.ts";

it.each([
  ["/apis/g/v1/things/one", "", "/apis/g/v1/things/one"],
  ["/apis/g/v1/a b/ü?#%", "", "/apis/g/v1/a%20b/%C3%BC%3F%23%25"],
  ["/apis/g/v1/../../../api/v1", "", "/apis/g/v1/../../../api/v1"], // the extension server interprets it like authorization
  ["/apis/g/v1/a\r\nX: y", "", "/apis/g/v1/a%0D%0AX:%20y"],
  ["/apis/g/v1/😀", "", "/apis/g/v1/%F0%9F%98%80"],
  ["/apis/g/v1/things", "b=2&a=x%20y&a=%26", "/apis/g/v1/things?a=x+y&a=%26&b=2"],
])("requests %j with %j as %j", (path, query, asked) => {
  expect(targetPath(path, new URLSearchParams(query))).toBe(asked);
});
