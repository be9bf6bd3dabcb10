// The theme without VitePress's own fonts, so that a page requests no file outside of the package.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
