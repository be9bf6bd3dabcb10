import { type ComponentChild, h } from "preact";
import { search, searched } from "../route.ts";

/** Search field of a screen. */
export const Search = ({ label }: { readonly label: string }): ComponentChild =>
  h(
    "label",
    { class: "search" },
    `${label} `,
    h("input", {
      type: "search",
      id: "search",
      value: searched(),
      onInput: (event: Event) => {
        if (event.currentTarget instanceof HTMLInputElement) search(event.currentTarget.value);
      },
    }),
  );

/** Returns the query parameter for the text that the screen searches for. */
export const searchQuery = (): string => (searched() ? `search=${encodeURIComponent(searched())}` : "");
