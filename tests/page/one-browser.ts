import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { ensurePageIsBuilt } from "./build-page.ts";
import { launchChromiumServer } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser of all page tests listens; empty where there is none. */
    readonly chromium: string;
  }
}

/** Before the page tests: one built page and one browser for all of them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  ensurePageIsBuilt();
  const server = await launchChromiumServer();
  project.provide("chromium", server?.wsEndpoint() ?? "");
  return async () => await server?.close();
}

/** The browser that the page tests share. Closing it closes only what was opened through it. */
export async function sharedChromium(): Promise<Browser> {
  return await chromium.connect(inject("chromium"));
}
