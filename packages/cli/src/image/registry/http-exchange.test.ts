import { expect, it } from "vitest";
import { placeOf } from "./http-exchange.ts";

it("never follows redirects from https to http", () => {
  const from = "https://registry.example.com/v2/shop/blobs/uploads/";
  expect(placeOf("/v2/x?a=1", from, "r").href).toBe("https://registry.example.com/v2/x?a=1");
  expect(placeOf("https://blobs.example.com/x", from, "r").host).toBe("blobs.example.com");
  for (const place of ["http://127.0.0.1:8080/token", "http://169.254.169.254/latest", "file:///etc/passwd"])
    expect(() => placeOf(place, from, "r")).toThrow(/^r redirects to (http|file):\/\/[^,]*, which is not https$/);
  expect(() => placeOf("https://", from, "r")).toThrow('r redirects to "https://", which is not a valid URL');
  expect(placeOf("http://127.0.0.1:1/x", "http://127.0.0.1:2/", "r").port).toBe("1");
});
