import { parentPort } from "node:worker_threads";
import { toReadablePage } from "./readable-page.ts";

parentPort?.on("message", ({ html, url }: { readonly html: string; readonly url: string }) =>
  parentPort?.postMessage(toReadablePage(html, url)),
);
