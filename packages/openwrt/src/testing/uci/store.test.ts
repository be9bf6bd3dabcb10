import { describe, expect, it } from "vitest";
import { Uci } from "./store.ts";

const text =
  "\nconfig globals 'globals'\n\toption mark '0x3F'\n\nconfig zone\n\toption name 'it'\\''s'\n\tlist network 'a'\n\tlist network 'b'\n\n";

describe("Uci", () => {
  it("writes what it has read", () => {
    const uci = new Uci({ firewall: text });
    const zone = uci.get("firewall", "@zone[-1]");
    expect(zone?.options.get("name")).toBe("it's");
    if (zone) uci.set("firewall", zone, "masq", "1");
    uci.commit("firewall");

    expect(uci.text("firewall")).toBe(text.replace("'b'\n", "'b'\n\toption masq '1'\n"));
  });

  it("shows staged changes to readers, and writes them to the file on commit", () => {
    const uci = new Uci({ firewall: text });
    uci.add("firewall", "rule", "r1");
    expect(uci.get("firewall", "r1")).toBeDefined();
    expect(uci.text("firewall")).toBe(text);

    uci.revert("firewall");
    uci.commit("firewall");
    expect(uci.get("firewall", "r1")).toBeUndefined();
    expect(uci.text("firewall")).toBe(text);
  });

  it("assigns ids to anonymous sections", () => {
    const uci = new Uci({ firewall: text });
    expect(uci.get("firewall", "cfg02dc81")?.type).toBe("zone");
  });

  it("adds no section with a name that is not valid in UCI", () => {
    const uci = new Uci({ firewall: "" });
    expect(uci.add("firewall", "rule", "a-b")).toBeUndefined();
    expect(uci.add("nothing", "rule", "ab")).toBeUndefined();
  });
});
