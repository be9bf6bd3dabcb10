import { type ComponentChild, h } from "preact";
import { useRef, useState } from "preact/hooks";
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

/**
 * A search form. The values of its fields, joined by spaces, make up the search query of a screen. The value of a text is passed to `onText`
 * instead.
 */
export function SearchForm({
  fields,
  onText,
}: {
  readonly fields: readonly Field[];
  readonly onText?: (text: string) => void;
}): ComponentChild {
  const words = fields.filter(({ maxTextBytes }) => maxTextBytes === undefined);
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
          words
            .map((_field, at) => String(data.get(String(at)) ?? "").replaceAll(/\s/g, ""))
            .join(" ")
            .trimEnd(),
        );
        onText?.(String(data.get(textName) ?? ""));
      },
    },
    fields.map((field) => (field.maxTextBytes === undefined ? null : h(TextField, { key: field.title, field }))),
    words.map(({ title, example, isOptional = false }, at) =>
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

const textName = "text";

/** Text of several lines, which the viewer can also choose from files. */
function TextField({ field }: { readonly field: Field }): ComponentChild {
  const { title, example, isOptional = false, maxTextBytes = 0 } = field;
  const area = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState("");
  const choose = async (files: readonly File[]): Promise<void> => {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    setProblem(bytes > maxTextBytes ? `The files have ${bytes} bytes; choose at most ${maxTextBytes}.` : "");
    if (bytes > maxTextBytes || !area.current) return;
    area.current.value = (await Promise.all(files.map((file) => file.text()))).join("\n---\n");
  };
  return h(
    "div",
    { class: "text" },
    h(
      "label",
      null,
      `${title} `,
      h("textarea", {
        ref: area,
        name: textName,
        rows: 8,
        placeholder: example,
        required: !isOptional,
        spellcheck: false,
      }),
    ),
    h(
      "label",
      null,
      "Choose files ",
      h("input", {
        type: "file",
        multiple: true,
        accept: ".yaml,.yml,.json",
        onChange: (event: Event) => {
          if (event.currentTarget instanceof HTMLInputElement) void choose([...(event.currentTarget.files ?? [])]);
        },
      }),
    ),
    problem ? h("p", { role: "alert" }, problem) : null,
  );
}

/** Returns the query parameter for the text that the screen searches for. */
export const searchQuery = (): string => (searched() ? `search=${encodeURIComponent(searched())}` : "");
