// Without the fonts that VitePress brings: a page asks for nothing that is not in the package.
export { default } from "vitepress/theme-without-fonts";
