import { signal } from "@preact/signals";

interface Address {
  /** Parts of the address after `#/`. */
  readonly parts: readonly string[];
  readonly search: string;
}

const address = signal<Address>(read());

/** Returns the parts of the address after `#/`. */
export const route = (): readonly string[] => address.value.parts;

/** Returns the text that the screen searches for. It is part of the address, so that it survives going back. */
export const searched = (): string => address.value.search;

/** Changes the text that the screen searches for. */
export function search(text: string): void {
  const { parts } = address.value;
  history.replaceState(null, "", `${to(...parts)}${text ? `?search=${encodeURIComponent(text)}` : ""}`);
  address.value = { parts, search: text };
}

addEventListener("hashchange", () => {
  address.value = read();
  document.querySelector("main")?.focus();
});

function read(): Address {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean);
  const found = new URLSearchParams(query).get("search") ?? "";
  try {
    return { parts: parts.length > 0 ? parts.map(decodeURIComponent) : ["overview"], search: found };
  } catch {
    return { parts: ["overview"], search: "" };
  }
}

/** Returns an address within the console. */
export const to = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join("/")}`;
