import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  // Addresses relative to the page, so that it also works below a path of somebody's proxy.
  base: "./",
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2023",
    // Nothing is inlined: the page's policy lets only files of ours through.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  worker: { format: "es" },
});
