import { type ComponentChild, h } from "preact";
import type { Field } from "../responses.ts";
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

/** A search form. The values of its fields, joined by spaces, make up the search query of a screen. */
export function SearchForm({ fields }: { readonly fields: readonly Field[] }): ComponentChild {
  const values = searched().split(" ");
  return h(
    "form",
    {
      class: "filters",
      onSubmit: (event: Event) => {
        event.preventDefault();
        if (!(event.currentTarget instanceof HTMLFormElement)) return;
        const data = new FormData(event.currentTarget);
        search(
          fields
            .map((_field, at) => String(data.get(String(at)) ?? "").replaceAll(/\s/g, ""))
            .join(" ")
            .trim(),
        );
      },
    },
    fields.map(({ title, example, isOptional = false }, at) =>
      h(
        "label",
        { key: title },
        `${title} `,
        h("input", { name: String(at), defaultValue: values[at] ?? "", placeholder: example, required: !isOptional }),
      ),
    ),
    h("button", { type: "submit" }, "Show"),
  );
}

/** Returns the query parameter for the text that the screen searches for. */
export const searchQuery = (): string => (searched() ? `search=${encodeURIComponent(searched())}` : "");
