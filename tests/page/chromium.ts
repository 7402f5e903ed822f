import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";

/** Nothing of these reaches out to the network, and containers have no sandbox to offer. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Only the last of these counts, so that the ones of Playwright that matter to a page on loopback stand here again.
  // Two of Chromium's own pages, for its address bar, would take as much CPU for every window as our page does.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,LensOverlay,PaintHolding,Translate,HttpsUpgrades,DestroyProfileOnBrowserClose,AvoidUnnecessaryBeforeUnloadCheckSync,OptimizationHints,MediaRouter,SpareRendererForSitePerProcess",
];

/** Debian's, the one without windows first: the same engine for four fifths of the CPU. */
const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The browser of this machine, or the one that `CHROMIUM` names. Undefined where there is none. */
function findChromium(): string | undefined {
  const named = process.env["CHROMIUM"];
  return [...(named === undefined ? [] : [named]), ...installed].find((path) => existsSync(path));
}

/** For `describe.skipIf`: says once per file why nothing is tested. */
export function lacksChromium(): boolean {
  if (findChromium() !== undefined) return false;
  process.stdout.write(
    "page tests are skipped: no Chromium (install Debian's `chromium-headless-shell` or `chromium`, or name one in CHROMIUM)\n",
  );
  return true;
}

/** A browser that several processes may connect to; undefined where there is none. */
export async function launchChromiumServer(): Promise<BrowserServer | undefined> {
  const executablePath = findChromium();
  return executablePath === undefined ? undefined : await chromium.launchServer({ executablePath, args });
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("There is no Chromium on this machine");
  return await chromium.launch({ executablePath, args });
}
