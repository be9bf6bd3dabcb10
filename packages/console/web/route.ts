import { signal } from "@preact/signals";

/** Parts of the address after `#/`. */
export const route = signal<readonly string[]>(read());

addEventListener("hashchange", () => {
  route.value = read();
  document.querySelector("main")?.focus();
});

function read(): readonly string[] {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  try {
    return parts.length > 0 ? parts.map(decodeURIComponent) : ["overview"];
  } catch {
    return ["overview"];
  }
}

/** Returns an address within the console. */
export const to = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join("/")}`;
