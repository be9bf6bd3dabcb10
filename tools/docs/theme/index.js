// The theme without VitePress's own fonts, so that a page requests no file outside of the package.
import theme from "vitepress/theme-without-fonts";
import { searchOptions } from "./search.ts";
import "./style.css";

export default {
  ...theme,
  enhanceApp(context) {
    theme.enhanceApp?.(context);
    // In the configuration, VitePress would write the function as text and evaluate it, which the pages' security policy forbids.
    context.siteData.value.themeConfig.search.options.miniSearch = { searchOptions };
  },
};
