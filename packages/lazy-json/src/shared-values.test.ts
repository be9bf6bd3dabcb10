import { expect, it } from "vitest";
import { shareStrings } from "./shared-values.ts";

it("makes no visible change", () => {
  const value = () => ({
    image: `registry.example.com/shop:${1}`,
    args: ["serve", `--config=${"/etc/app/config.yaml"}`, ["a".repeat(200)], null, 1],
    nested: { image: `registry.example.com/shop:${1}`, empty: "", flag: true },
  });
  for (let i = 0; i < 2; i++) {
    const shared = value();
    shareStrings(shared);
    expect(shared).toStrictEqual(value());
  }
});
